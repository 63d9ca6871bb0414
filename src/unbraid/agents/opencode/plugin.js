// unbraid: answers and steers this OpenCode from `unbraid`. Made by `unbraid hooks install`,
// removed by `unbraid hooks uninstall`. While nobody listens at the socket it does nothing.
import { existsSync } from "node:fs";
import { request } from "node:http";

const SOCKET = "SOCKET";
const LOOK_MS = 2000;
const MAX_SESSIONS = 100;
const MAX_CALLS = 256;
const FORWARDED = /^(permission\.|session\.(created|idle|status|error|deleted))/;

/** One call of our socket: the JSON that it answers with, null for nothing. */
function call(path, body, timeout) {
  return new Promise((resolve, reject) => {
    const data = Buffer.from(JSON.stringify(body));
    const headers = {
      "content-type": "application/json",
      "content-length": data.length,
      process: String(process.pid),
    };
    const made = request(
      { socketPath: SOCKET, path, method: "POST", headers, timeout },
      (answer) => {
        const parts = [];
        answer.on("data", (part) => parts.push(part));
        answer.on("error", reject);
        answer.on("end", () => {
          if (answer.statusCode !== 200) return reject(new Error(String(answer.statusCode)));
          const text = Buffer.concat(parts).toString();
          try {
            resolve(text ? JSON.parse(text) : null);
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    made.on("timeout", () => made.destroy(new Error("timeout")));
    made.on("error", reject);
    made.on("socket", (socket) => socket.unref?.());
    made.end(data);
  });
}

const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref?.();
  });

export const Unbraid = async ({ client }) => {
  // For one who starts to listen later: requests that nobody has answered, and the latest event of
  // each session, by which it is known that the session is here.
  const asked = new Map();
  const sessions = new Map();
  // What open calls were given: a request does not say what it is about.
  const inputs = new Map();

  function note(part) {
    if (part?.type !== "tool" || !part.callID) return;
    inputs.delete(part.callID);
    if (part.state?.status !== "running") return;
    inputs.set(part.callID, part.state.input);
    if (inputs.size > MAX_CALLS) inputs.delete(inputs.keys().next().value);
  }

  function completed(event) {
    const input = inputs.get(event.properties?.tool?.callID);
    if (event.type !== "permission.asked" || input === undefined) return event;
    return { ...event, properties: { ...event.properties, unbraidInput: input } };
  }

  function remember(event, about) {
    if (event.type === "permission.asked") asked.set(about.id, event);
    if (event.type === "permission.replied") asked.delete(about.requestID ?? about.permissionID);
    const session = about.sessionID ?? about.info?.id;
    if (!session || !event.type.startsWith("session.")) return;
    sessions.delete(session);
    if (event.type === "session.deleted") return;
    sessions.set(session, event);
    if (sessions.size > MAX_SESSIONS) sessions.delete(sessions.keys().next().value);
  }

  async function obey(order) {
    const done = { id: order.id, error: null };
    try {
      const answer = await client._client.post({
        url: order.path,
        body: order.body,
        headers: { "content-type": "application/json" },
      });
      if (answer?.error) done.error = JSON.stringify(answer.error);
    } catch (error) {
      done.error = String(error);
    }
    return done;
  }

  async function listen() {
    let done = [];
    let known = false;
    for (;;) {
      if (!existsSync(SOCKET)) {
        known = false;
        await pause(LOOK_MS);
        continue;
      }
      try {
        // Who has just begun to listen is given what is open.
        const open = [...sessions.values(), ...asked.values()];
        const sent = { done, events: known ? [] : open };
        const orders = await call("/opencode/orders", sent, 120000);
        known = true;
        done = await Promise.all((orders ?? []).map(obey));
      } catch {
        known = false;
        await pause(LOOK_MS);
      }
    }
  }
  listen();

  return {
    event: async ({ event: given }) => {
      if (given?.type === "message.part.updated") note(given.properties?.part);
      const event = given && completed(given);
      if (!FORWARDED.test(event?.type ?? "")) return;
      remember(event, event.properties ?? {});
      if (!existsSync(SOCKET)) return;
      // Not awaited: whatever becomes of it, OpenCode goes on.
      call("/opencode/event", { event }, 5000).catch(() => {});
    },
  };
};
