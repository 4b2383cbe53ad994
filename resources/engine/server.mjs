// The built-in model's server: the OpenAI wire for one small model on this machine, for one client program.
// It exists because node-llama-cpp installs everywhere without a compiler but brings no HTTP server.
//
// node server.mjs ENGINE_FOLDER MODEL_FILE MODEL_NAME WINDOW THREADS
//
// Prints one line, {"port": N}, when it answers. It wants the bearer token of NANOBOT_ENGINE_TOKEN on everything
// but /health, and ends when its stdin does: that is how it notices the death of the program that started it.

import { randomUUID, timingSafeEqual } from "node:crypto";
import http from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { Answer, checked, grammarOf, told } from "./tools.mjs";

const MAX_BODY = 4 * 1024 * 1024;
const WORKING_MS = 5000; // a comment this often keeps the client's idle timer calm
const PROMPT_STEP = 64; // tokens read between two looks at whether the client is still there
const LEAST_ANSWER = 256; // a prompt that leaves less room than this (or than it asks for) is refused
const NOT_SUPPORTED = ["functions", "stop", "logprobs", "logit_bias", "audio"];

const [engineFolder, modelFile, modelName, windowText, threadsText] = process.argv.slice(2);
const contextWindow = Number(windowText);
const threads = Number(threadsText);
const token = process.env.NANOBOT_ENGINE_TOKEN ?? "";
delete process.env.NANOBOT_ENGINE_TOKEN;

// A normal exit would wait for the native threads, which may be in the middle of a long prompt.
const leave = () => process.kill(process.pid, "SIGKILL");
process.stdin.on("end", leave).on("error", leave).resume();
process.on("SIGTERM", leave);
process.on("SIGINT", leave);

class Refused extends Error {
  constructor(status, message, code) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

// ---- the model

class Model {
  #engine;
  #llama;
  #model;
  #sequence;
  #grammars = new Map(); // by their text: parsing one takes longer than reading a short question
  #waiting = Promise.resolve();

  async load() {
    const entry = path.join(engineFolder, "node_modules", "node-llama-cpp", "dist", "index.js");
    this.#engine = await import(pathToFileURL(entry).href);
    const { getLlama, LlamaLogLevel } = this.#engine;
    const llama = await getLlama({
      gpu: false,
      build: "never",
      skipDownload: true,
      maxThreads: threads,
      logLevel: LlamaLogLevel.error,
    });
    this.#llama = llama;
    this.#model = await llama.loadModel({ modelPath: modelFile });
    const context = await this.#model.createContext({
      contextSize: contextWindow,
      sequences: 1,
      threads,
    });
    this.#sequence = context.getSequence();
  }

  // One request at a time: there is one sequence, so that its prefix cache survives from turn to turn.
  // A job whose client went away while it waited is never started.
  answer(job) {
    const turn = this.#waiting.then(() => (job.gone ? null : this.#run(job)));
    this.#waiting = turn.catch(() => {});
    return turn;
  }

  async #run(job) {
    const prompt = this.#tokens(job.messages);
    if (prompt.length + Math.min(job.limit, LEAST_ANSWER) > contextWindow) {
      throw new Refused(
        400,
        `This model's context window is ${contextWindow} tokens; the messages take ${prompt.length}.`,
        "context_length_exceeded",
      );
    }
    const limit = Math.min(job.limit, contextWindow - prompt.length);
    await this.#sequence.adaptStateToTokens(prompt.slice(0, -1), false);
    const cached = this.#sequence.nextTokenIndex;
    if (!(await this.#read(prompt.slice(cached, -1), job))) return null;
    const written = await this.#write(prompt.at(-1), limit, job);
    return { ...written, promptTokens: prompt.length, cachedTokens: cached };
  }

  // In steps, because the engine cannot be interrupted inside one; false if the client left.
  async #read(tokens, job) {
    for (let at = 0; at < tokens.length; at += PROMPT_STEP) {
      if (job.gone) return false;
      await this.#sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(at, at + PROMPT_STEP));
    }
    return !job.gone;
  }

  async #write(last, limit, job) {
    const text = new Text(this.#model);
    const answer = new Answer(job.tools, job.onText);
    const held = answer.open ? this.#holding(job.tools, job.callable) : undefined;
    let answerTokens = 0;
    let finish = "stop";
    const options = {
      temperature: job.temperature,
      topP: job.topP,
      seed: job.seed,
      grammarEvaluationState: () => (answer.open ? held : undefined),
    };
    for await (const next of this.#sequence.evaluate([last], options)) {
      if (job.gone) return { finish: "stop", answerTokens };
      answerTokens += 1;
      const piece = text.add(next);
      if (piece) answer.add(piece);
      if (answerTokens >= limit) {
        finish = "length";
        break;
      }
    }
    const rest = text.rest();
    if (rest) answer.add(rest);
    const call = answer.end();
    return { finish: call ? "tool_calls" : finish, answerTokens, call };
  }

  #holding(tools, callable) {
    const { LlamaGrammar, LlamaGrammarEvaluationState } = this.#engine;
    const rules = grammarOf(tools, callable);
    let grammar = this.#grammars.get(rules);
    if (!grammar) {
      grammar = new LlamaGrammar(this.#llama, { grammar: rules });
      this.#grammars.set(rules, grammar);
    }
    return new LlamaGrammarEvaluationState({ model: this.#model, grammar });
  }

  // ChatML. What people wrote is read without special tokens: no text can pretend to be another speaker.
  #tokens(messages) {
    const mark = (text) => this.#model.tokenize(text, true);
    const plain = (text) => this.#model.tokenize(text, false);
    const tokens = [];
    for (const [role, text] of messages) {
      tokens.push(...mark("<|im_start|>"), ...plain(`${role}\n`), ...plain(text));
      tokens.push(...mark("<|im_end|>"), ...plain("\n"));
    }
    return [...tokens, ...mark("<|im_start|>"), ...plain("assistant\n")];
  }
}

// Tokens to text, where one character may be spread over several tokens.
class Text {
  #model;
  #held = [];
  #before = [];

  constructor(model) {
    this.#model = model;
  }

  add(next) {
    this.#held.push(next);
    const text = this.#model.detokenize(this.#held, false, this.#before);
    return text.endsWith("\uFFFD") && this.#held.length < 8 ? "" : this.#flush(text);
  }

  rest() {
    return this.#held.length ? this.#flush(this.#model.detokenize(this.#held, false, this.#before)) : "";
  }

  #flush(text) {
    this.#before = this.#held.slice(-4);
    this.#held = [];
    return text;
  }
}

// ---- the wire: what a request may hold

function parsed(raw) {
  let body;
  try {
    body = JSON.parse(raw);
  } catch {
    throw new Refused(400, "The body is not JSON.", "invalid_json");
  }
  if (typeof body !== "object" || body === null || !Array.isArray(body.messages) || !body.messages.length) {
    throw new Refused(400, "messages must be a list of messages.", "invalid_request");
  }
  for (const name of NOT_SUPPORTED) {
    const value = body[name];
    if (value && !(Array.isArray(value) && !value.length)) {
      throw new Refused(400, `The built-in model does not support ${name}.`, "unsupported_parameter");
    }
  }
  if ((body.n ?? 1) !== 1 || (body.response_format?.type ?? "text") !== "text") {
    throw new Refused(400, "The built-in model gives one answer, as text.", "unsupported_parameter");
  }
  const tools = checked(body.tools);
  if (!tools) throw new Refused(400, "tools must be a list of up to 16 functions.", "invalid_request");
  const quarter = Math.floor(contextWindow / 4);
  const wanted = number(body, "max_tokens", 1, Infinity) ?? number(body, "max_completion_tokens", 1, Infinity);
  return {
    messages: told(body.messages.map(spoken), tools),
    tools,
    callable: body.tool_choice !== "none",
    stream: body.stream === true,
    usage: body.stream_options?.include_usage === true,
    limit: Math.min(Math.floor(wanted ?? quarter), quarter),
    temperature: number(body, "temperature", 0, 2) ?? 0.1,
    topP: number(body, "top_p", 0, 1) ?? 1,
    seed: number(body, "seed", 0, 2 ** 32 - 1),
  };
}

function number(body, name, least, most) {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== "number" || Number.isNaN(value) || value < least || value > most) {
    throw new Refused(400, `${name} must be a number from ${least} to ${most}.`, "invalid_request");
  }
  return value;
}

function spoken(message) {
  const text = content(message?.content);
  switch (message?.role) {
    case "system":
    case "developer":
      return { role: "system", text };
    case "user":
    case "tool":
      return { role: message.role, text };
    case "assistant":
      return { role: "assistant", text, calls: (message.tool_calls ?? []).map((call) => call?.function ?? {}) };
    default:
      throw new Refused(400, `Unknown role: ${message?.role}.`, "invalid_request");
  }
}

function content(value) {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (!Array.isArray(value)) throw new Refused(400, "content must be text.", "invalid_request");
  return value
    .map((part) => {
      if (part?.type === "text" && typeof part.text === "string") return part.text;
      throw new Refused(400, "The built-in model reads text only.", "unsupported_content");
    })
    .join("\n");
}

// ---- the wire: what goes back

function json(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function failed(response, error) {
  const known = error instanceof Refused;
  if (!known) console.error(error);
  const value = {
    error: {
      message: known ? error.message : "The built-in model failed inside.",
      type: known ? "invalid_request_error" : "server_error",
      code: known ? error.code : "internal_error",
    },
  };
  if (response.destroyed) return;
  if (response.headersSent) response.end(`data: ${JSON.stringify(value)}\n\n`);
  else json(response, known ? error.status : 500, value);
}

const counted = (result) => ({
  prompt_tokens: result.promptTokens,
  completion_tokens: result.answerTokens,
  total_tokens: result.promptTokens + result.answerTokens,
  prompt_tokens_details: { cached_tokens: result.cachedTokens },
});

async function complete(model, job, response) {
  const pieces = [];
  job.onText = (piece) => pieces.push(piece);
  const result = await model.answer(job);
  if (!result || job.gone) return;
  const message = { role: "assistant", content: pieces.join(""), ...(result.call && { tool_calls: [made(result.call)] }) };
  json(response, 200, {
    ...stamp("chat.completion"),
    choices: [{ index: 0, message, finish_reason: result.finish }],
    usage: counted(result),
  });
}

async function stream(model, job, response) {
  const frame = stamp("chat.completion.chunk");
  const send = (value) => response.write(`data: ${JSON.stringify({ ...frame, ...value })}\n\n`);
  const open = () => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  };
  const working = setInterval(() => {
    open();
    response.write(": working\n\n");
  }, WORKING_MS);
  let first = true;
  job.onText = (piece) => {
    clearInterval(working);
    open();
    const delta = first ? { role: "assistant", content: piece } : { content: piece };
    first = false;
    send({ choices: [{ index: 0, delta, finish_reason: null }] });
  };
  try {
    const result = await model.answer(job);
    if (!result || job.gone) return;
    open();
    if (result.call) {
      const delta = { role: "assistant", tool_calls: [{ index: 0, ...made(result.call) }] };
      send({ choices: [{ index: 0, delta, finish_reason: null }] });
    }
    send({ choices: [{ index: 0, delta: {}, finish_reason: result.finish }] });
    if (job.usage) send({ choices: [], usage: counted(result) });
    response.end("data: [DONE]\n\n");
  } finally {
    clearInterval(working);
  }
}

const made = (call) => ({ id: `call_${randomUUID().slice(0, 8)}`, type: "function", function: call });

function stamp(object) {
  const created = Math.floor(Date.now() / 1000);
  return { id: `chatcmpl-${randomUUID()}`, object, created, model: modelName };
}

async function read(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_BODY) throw new Refused(413, "The request is too large.", "request_too_large");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function authorized(request) {
  const given = Buffer.from(request.headers.authorization ?? "");
  const expected = Buffer.from(`Bearer ${token}`);
  return token !== "" && given.length === expected.length && timingSafeEqual(given, expected);
}

async function serve(model, request, response) {
  const route = `${request.method} ${request.url}`;
  if (route === "GET /health") return json(response, 200, { status: "ok" });
  if (!authorized(request)) throw new Refused(401, "This server has one user, and you are not it.", "invalid_api_key");
  if (route === "GET /v1/models") {
    const entry = { id: modelName, object: "model", owned_by: "nanobot-desktop", max_model_len: contextWindow };
    return json(response, 200, { object: "list", data: [entry] });
  }
  if (route !== "POST /v1/chat/completions") throw new Refused(404, "There is nothing at this address.", "not_found");
  const job = { ...parsed(await read(request)), gone: false };
  response.on("close", () => {
    job.gone = true;
  });
  return (job.stream ? stream : complete)(model, job, response);
}

const model = new Model();
await model.load();
const server = http.createServer((request, response) => {
  serve(model, request, response).catch((error) => failed(response, error));
});
server.keepAliveTimeout = 0; // the one client keeps its connection; closing it would race with its next request
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ port: server.address().port })));
