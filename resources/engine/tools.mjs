// Tools for a model that has no wire of its own for them: told as text before the conversation, answered as
// a line of JSON, with or without the tags that such models were taught, and turned back into calls here.
//
// A grammar holds the model to a well-formed call once it has begun one. It is let go at the first letter of
// prose: an ordinary answer is not slowed down by it.

const OPEN = "<tool_call>";
const CLOSE = "</tool_call>";

// What is put after the system prompt. The order of keys never changes, so that the prompt's beginning stays
// the same and is read once.
function described(tools) {
  const lines = tools.map((tool) => JSON.stringify(tool));
  return [
    "# Tools",
    "",
    "Answer greetings, thanks and questions in words. Only when a file is to be written or read, or a page to be",
    "opened, call the tool for it. When a tool has answered, say in one sentence what was done. The tools:",
    "<tools>",
    ...lines,
    "</tools>",
    "To call one, answer with nothing but one line of JSON: the tool's name and its arguments, like",
    '{"name": "...", "arguments": {...}}',
  ].join("\n");
}

// The program's line about time and place, which a small model would write into the file.
const LAST_LINE = /\n\n\[[^\]\n]*\]$/;

// The messages as [role, text]. A small model goes on as it sees itself write: with tools it sees its calls and
// not the sentences after them, without tools nothing of a task that was done with them.
export function told(messages, tools) {
  const acting = tools.length > 0;
  const lines = [];
  let task = -1; // where the task began whose calls were just read
  for (const { role, text, calls = [] } of messages) {
    if (role === "tool") {
      lines.push(["user", `<tool_response>\n${text}\n</tool_response>`]);
    } else if (calls.length) {
      if (task < 0) task = lines.length - 1;
      if (acting) lines.push(["assistant", [text, ...calls.map(written)].filter(Boolean).join("\n")]);
    } else if (role === "assistant" && task >= 0) {
      if (!acting) lines.length = task;
    } else {
      task = -1;
      lines.push([role, acting && role === "user" ? text.replace(LAST_LINE, "") : text]);
    }
  }
  if (!acting) return lines;
  const system = lines[0]?.[0] === "system" ? lines.shift()[1] : "";
  return [["system", [system, described(tools)].filter(Boolean).join("\n\n")], ...lines];
}

const written = ({ name, arguments: given }) => `{"name": "${name}", "arguments": ${given}}`;

// GBNF: prose, or one call of one of the tools with exactly its parameters; prose alone where none may be called.
export function grammarOf(tools, callable) {
  if (!callable) return "root ::= [^<{` \\n\\t] [^\\x00]*";
  const calls = tools.map((tool, at) => `call${at} ::= ${callOf(tool.function)}`);
  return [
    `root ::= call | "${OPEN}\\n" call "\\n${CLOSE}" | prose`,
    "prose ::= [^<{`] [^\\x00]*",
    `call ::= ${tools.map((_tool, at) => `call${at}`).join(" | ")}`,
    ...calls,
    'string ::= "\\"" char* "\\""',
    'char ::= [^"\\\\\\x00-\\x1f] | "\\\\" (["\\\\/bfnrt] | "u" hex hex hex hex)',
    "hex ::= [0-9a-fA-F]",
    'number ::= "-"? [0-9]+ ("." [0-9]+)?',
    'boolean ::= "true" | "false"',
  ].join("\n");
}

function callOf(tool) {
  const properties = Object.entries(tool.parameters?.properties ?? {});
  const members = properties.map(([name, schema], at) => {
    const key = `${at ? ", " : ""}${JSON.stringify(name)}: `;
    return `${literal(key)} ${valueOf(schema)}`;
  });
  const start = literal(`{"name": ${JSON.stringify(tool.name)}, "arguments": {`);
  return [start, ...members, literal("}}")].join(" ");
}

const valueOf = (schema) => ({ integer: "number", number: "number", boolean: "boolean" })[schema?.type] ?? "string";

const literal = (text) => `"${text.replace(/\\/g, "\\\\").replace(/"/g, '\\"')}"`;

// The stream of an answer: text goes on at once, what begins as a call is kept to its end.
export class Answer {
  #tools;
  #onText;
  #text = "";
  #prose;

  constructor(tools, onText) {
    this.#tools = new Set(tools.map((tool) => tool.function.name));
    this.#onText = onText;
    this.#prose = !tools.length;
  }

  // Whether the answer can still become a call.
  get open() {
    return !this.#prose;
  }

  add(piece) {
    if (this.#prose) return this.#onText(piece);
    this.#text += piece;
    const start = this.#text.trimStart();
    if (start && start[0] !== "{" && !start.startsWith(OPEN) && !OPEN.startsWith(start)) this.#letGo();
  }

  // The call that it was; null if it was none, and then all of it was told as text.
  end() {
    if (this.#prose) return null;
    const body = this.#text.trim().replace(OPEN, "").replace(CLOSE, "").trim();
    try {
      const made = JSON.parse(body);
      if (this.#tools.has(made.name)) return { name: made.name, arguments: JSON.stringify(made.arguments ?? {}) };
    } catch {
      // cut off by the limit: it is told as it stands
    }
    this.#letGo();
    return null;
  }

  #letGo() {
    this.#prose = true;
    const text = this.#text;
    this.#text = "";
    if (text) this.#onText(text);
  }
}

// The tools of a request that are what a small model can be told; anything else is refused by name.
export function checked(tools) {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) return null;
  const good = tools.every((tool) => tool?.type === "function" && typeof tool.function?.name === "string");
  return good && tools.length <= 16 ? tools : null;
}
