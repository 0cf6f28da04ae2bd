// A client of Foxglove's own protocol library: `foxglove_client.cjs URL TOPIC` says in JSON what it was told of a topic.
const { FoxgloveClient } = require("@foxglove/ws-protocol");
const WebSocket = require("ws");

const NONE = 9999;
const [url, topic] = process.argv.slice(2);
const told = { topics: [], times: 0, messages: 0, bytes: 0 };
const socket = new WebSocket(url, [FoxgloveClient.SUPPORTED_SUBPROTOCOL]);
const client = new FoxgloveClient({ ws: socket });
client.on("error", (error) => {
  console.error(String(error));
  process.exit(1);
});
client.on("serverInfo", (info) => (told.name = info.name));
client.on("status", (status) => {
  if (status.message.includes(`channel ${NONE}`)) {
    // whoever drives the run may go on
    console.error("subscribed");
  } else {
    told.status = status.message;
  }
});
client.on("time", () => (told.times += 1));
client.on("advertise", (channels) => {
  for (const channel of channels) {
    told.topics.push(channel.topic);
    if (channel.topic === topic) {
      told.schema = channel.schemaName;
      client.subscribe(channel.id);
      // A subscription is not acknowledged, and messages are taken in their order: one to a channel
      // that does not exist, which is told, says that this one has been taken.
      client.subscribe(NONE);
    }
  }
});
client.on("message", (message) => {
  told.messages += 1;
  told.bytes += message.data.byteLength;
  told.stamp = Number(message.timestamp);
});
client.on("close", () => console.log(JSON.stringify(told)));
