// Client with Foxglove's protocol library: `foxglove_client.cjs URL TOPIC` prints data about a topic as JSON.
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
    // the test can now continue
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
      // Subscriptions are not acknowledged, but messages are handled in order. A subscription to a
      // missing channel returns an error, which shows that this one was handled.
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
