"""Reads videos with OpenCV: read_video.py END.png VIDEO FRAMES [VIDEO FRAMES ...].

Each video must have as many frames, and its last frame must be the picture.
"""

import sys

import cv2
import numpy as np

# levels of 255, on average: coarse color and lossy compression of 64 x 36 pixels
LARGEST = 8

end = cv2.imread(sys.argv[1]).astype(float)
for path, frames in zip(sys.argv[2::2], map(int, sys.argv[3::2])):
    video = cv2.VideoCapture(path)
    read = []
    while (frame := video.read())[0]:
        read.append(frame[1].astype(float))
    assert len(read) == frames, f"{path}: {len(read)} frames, not {frames}"
    difference = np.abs(read[-1] - end).mean()
    assert difference < LARGEST, f"{path}: last frame differs by {difference:.1f} levels"
    assert abs(video.get(cv2.CAP_PROP_FPS) - 10) < 0.2, f"{path}: {video.get(cv2.CAP_PROP_FPS)} frames per second"
