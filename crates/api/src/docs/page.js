// Reads /openapi.json, writes the reference, and sends calls with the reader's key. No library, no other host.
"use strict";

let api;
const byId = (id) => document.getElementById(id);

/** An element; text is always text, never markup. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

function followed(value) {
  if (!value?.$ref) return value;
  const names = value.$ref.slice(2).split("/");
  return names.reduce((at, name) => at[name.replaceAll("~1", "/").replaceAll("~0", "~")], api);
}

function operations() {
  const all = [];
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of ["get", "post", "patch", "delete"]) {
      if (item[method]) all.push({ ...item[method], method, path });
    }
  }
  return all;
}

/** Sentences with `code` in them. */
function prose(text) {
  return (text ?? "").split(/(`[^`]+`)/).map((part) => (part.startsWith("`") ? make("code", {}, part.slice(1, -1)) : part));
}

const titled = (name) => name.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase()).replace("Api ", "API ");

// ---- the reference ---------------------------------------------------------------------------------------------

function shape(schema) {
  const at = followed(schema) ?? {};
  if (schema?.$ref) return schema.$ref.split("/").pop();
  if (at.oneOf) return at.oneOf.map(shape).join(" or ");
  if (at.enum) return at.enum.length > 6 ? `one of ${at.enum.length} words` : at.enum.map((word) => word ?? "null").join(" · ");
  const types = [].concat(at.type ?? "any").map((type) => (type === "string" && at.format) || type);
  return types.includes("array") ? types.map((t) => (t === "array" ? `list of ${shape(at.items)}` : t)).join(" or ") : types.join(" or ");
}

function row(name, schema, about, required) {
  const known = followed(schema) ?? {};
  const words = known.enum ?? known.items?.enum;
  return make("div", {},
    make("dt", {}, make("code", {}, name), make("span", {}, shape(schema)), required && make("em", {}, "required")),
    (about || known.description) && make("dd", {}, prose(about || known.description)),
    words?.length > 6 && make("details", {}, make("summary", {}, "All words"), make("dd", {}, words.filter(Boolean).join(", "))),
  );
}

function members(schema) {
  const known = followed(schema) ?? {};
  const required = new Set(known.required ?? []);
  return Object.entries(known.properties ?? {}).map(([name, member]) => row(name, member, "", required.has(name)));
}

function list(title, rows) {
  return rows.length ? [make("h4", {}, title), make("dl", {}, rows)] : [];
}

function parameters(operation, place) {
  return (operation.parameters ?? []).filter((parameter) => parameter.in === place);
}

function bodyRows(operation) {
  const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const data = schema?.properties?.data;
  if (!data) return list("Body", members(schema ?? {}));
  return [...list("Attributes", members(data.properties.attributes)), ...list("Relationships", members(data.properties.relationships ?? {}))];
}

function answerRows(operation) {
  const good = Object.entries(operation.responses).find(([status]) => status < "300");
  const schema = Object.values(followed(good?.[1])?.content ?? {})[0]?.schema;
  if (!schema) return [];
  const data = schema.properties?.data;
  const kind = followed(data?.items ?? data);
  if (!kind?.properties?.attributes) return list("Answer", members(schema));
  return [make("details", {},
    make("summary", {}, `What a ${kind.properties.type.enum[0]} consists of`),
    make("dl", {}, members(kind.properties.attributes)),
    list("Relationships", Object.keys(kind.properties.relationships?.properties ?? {}).map((name) => make("div", {}, make("dt", {}, make("code", {}, name))))),
  )];
}

function statuses(operation) {
  const all = Object.entries(operation.responses).map(([status, response]) =>
    make("span", { title: followed(response).description, class: status < "400" && "fine" }, status));
  return [make("h4", {}, "Statuses"), make("div", { class: "statuses" }, all)];
}

function pathText(path) {
  return path.split(/(\{[^}]+\})/).map((part) => (part.startsWith("{") ? make("i", {}, part) : part));
}

function section(operation) {
  const { method, path } = operation;
  const rows = (place) => parameters(operation, place).map((p) => row(p.name, p.schema, p.description, p.required));
  return make("article", { class: "operation", id: operation.operationId },
    make("div", {},
      make("h3", {}, make("a", { href: `#${operation.operationId}` }, operation.summary)),
      make("span", { class: "path" }, make("b", { class: method }, method), "/v2", pathText(path)),
      list("Path", rows("path")), list("Query", rows("query")), list("Headers", rows("header")),
      bodyRows(operation), answerRows(operation), statuses(operation)),
    make("div", { class: "side" }, tryIt(operation)));
}

// ---- the console -----------------------------------------------------------------------------------------------

/** JSON in colours, as elements. Type and id come first, as people read. */
function coloured(value) {
  const text = JSON.stringify(value, (_, member) => {
    if (!member || typeof member !== "object" || Array.isArray(member)) return member;
    const first = ["id", "type", "data"].filter((name) => name in member);
    return Object.fromEntries([...first, ...Object.keys(member).filter((name) => !first.includes(name))].map((name) => [name, member[name]]));
  }, 2) ?? "";
  const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(token)) {
    parts.push(text.slice(end, found.index));
    const [whole, string, colon] = found;
    const kind = colon ? "n" : string ? "s" : /^[tfn]/.test(whole) ? "w" : "d";
    parts.push(make("span", { class: kind }, string ?? whole), colon ?? "");
    end = found.index + whole.length;
  }
  return [...parts, text.slice(end)];
}

function sample(content) {
  const media = Object.values(content ?? {})[0];
  return media?.example ?? followed(Object.values(media?.examples ?? {})[0])?.value;
}

function shownSample(operation) {
  const [status, response] = Object.entries(operation.responses).find(([code]) => code < "300");
  const value = sample(followed(response).content);
  return result([make("b", { class: "good" }, `${status} example`)], value === undefined ? ["(no body)"] : coloured(value));
}

function result(head, text) {
  return make("div", { class: "result" }, make("header", {}, make("span", {}, head)), make("pre", { tabindex: "0" }, text));
}

function field(parameter) {
  const words = parameter.schema.enum ?? [];
  const attributes = { name: parameter.name, "data-in": parameter.in, spellcheck: "false", autocomplete: "off" };
  const input = words.length
    ? make("select", attributes, make("option", { value: "" }, ""), words.filter(Boolean).map((word) => make("option", {}, word)))
    : make("input", { ...attributes, placeholder: parameter.required ? "required" : "" });
  return make("label", {}, parameter.name, input);
}

function tryIt(operation) {
  const fields = (parameter) => field(parameter);
  const optional = [...parameters(operation, "query"), ...parameters(operation, "header")];
  const needed = [...parameters(operation, "path"), ...optional.filter((one) => one.required)];
  const rest = optional.filter((one) => !one.required);
  const body = operation.requestBody && make("textarea", { name: "body", spellcheck: "false", "aria-label": "Body" });
  if (body) body.value = JSON.stringify(sample(operation.requestBody.content) ?? {}, null, 2);
  const place = make("div", {}, shownSample(operation));
  const send = make("button", { type: "submit" }, "Send");
  const form = make("form", { class: "inputs" }, needed.map(fields),
    rest.length > 0 && make("details", {}, make("summary", {}, "Query and headers"), make("div", {}, rest.map(fields))),
    body && make("label", { class: "wide" }, "Body", body));
  const run = async (event) => {
    event.preventDefault();
    send.disabled = true;
    place.replaceChildren(await answered(operation, form));
    send.disabled = false;
  };
  form.addEventListener("submit", run);
  send.addEventListener("click", run);
  return make("div", { class: "console" },
    make("header", {}, make("span", {}, "Try it with your key"), send), form, place);
}

/** The call as the form says it. */
function call(operation, form) {
  let path = operation.path;
  const query = [];
  const headers = {};
  for (const input of form.querySelectorAll("[data-in]")) {
    const value = input.value.trim();
    const place = input.dataset.in;
    if (place === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(value || "-"));
    else if (value && place === "query") query.push(`${input.name}=${encodeURIComponent(value)}`);
    else if (value) headers[input.name] = value;
  }
  const key = byId("key").value.trim();
  if (key) headers.Authorization = `Token ${key}`;
  const body = form.querySelector("textarea")?.value;
  if (body) headers["Content-Type"] = "application/json";
  const target = `/v2${path}${query.length ? `?${query.join("&")}` : ""}`;
  return { target, request: { method: operation.method.toUpperCase(), headers, body, cache: "no-store" } };
}

function curl({ target, request }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [`curl -X ${request.method} ${quoted(location.origin + target)}`];
  for (const [name, value] of Object.entries(request.headers)) {
    lines.push(`-H ${quoted(`${name}: ${name === "Authorization" ? "Token $KEY" : value}`)}`.replace("'Authorization: Token $KEY'", '"Authorization: Token $KEY"'));
  }
  if (request.body) lines.push(`-d ${quoted(request.body)}`);
  return lines.join(" \\\n  ");
}

async function answered(operation, form) {
  const asked = call(operation, form);
  try {
    const began = performance.now();
    const answer = await fetch(asked.target, asked.request);
    const text = await answer.text();
    const took = Math.round(performance.now() - began);
    const copy = make("button", { type: "button", onclick: () => navigator.clipboard?.writeText(curl(asked)) }, "Copy as curl");
    const status = make("b", { class: answer.ok ? "good" : "bad" }, `${answer.status} ${answer.statusText}`);
    const shown = result([status, ` · ${took} ms · ${answer.headers.get("x-request-id") ?? ""}`], parsed(text));
    shown.querySelector("header").append(copy);
    return shown;
  } catch (why) {
    return result([make("b", { class: "bad" }, "No answer")], [String(why)]);
  }
}

function parsed(text) {
  try {
    return text ? coloured(JSON.parse(text)) : ["(no body)"];
  } catch {
    return [text];
  }
}

// ---- the page --------------------------------------------------------------------------------------------------

function lead() {
  const paragraphs = api.info.description.split("\n\n").map((text) => make("p", {}, prose(text)));
  return make("section", { class: "lead" }, make("h1", {}, "Where is my container?"), paragraphs,
    make("p", {}, "Version ", make("code", {}, api.info.version), " · ", make("a", { href: "/openapi.json" }, "OpenAPI 3.1"), " of everything below"));
}

function deliveries(tag) {
  const told = Object.entries(api.webhooks ?? {}).map(([name, { post }]) => {
    const place = make("div", {});
    const open = make("details", {}, make("summary", {}, "Example"), place);
    open.addEventListener("toggle", () => place.childElementCount || place.append(
      make("div", { class: "console" }, result([name], coloured(sample(post.requestBody.content))))));
    return make("div", { class: "told", id: post.operationId }, make("code", {}, name), make("p", {}, prose(post.summary)), open);
  });
  return make("section", { class: "group", id: tag.name }, make("h2", {}, titled(tag.name)), make("p", {}, prose(tag.description)), told);
}

function link(id, verb, text) {
  return make("a", { href: `#${id}`, "data-text": text.toLowerCase() }, make("span", { class: `verb ${verb}` }, verb === "delete" ? "del" : verb), text);
}

function write() {
  const all = operations();
  const main = byId("content");
  const index = byId("index");
  main.replaceChildren(lead());
  for (const tag of api.tags) {
    const here = all.filter((operation) => operation.tags[0] === tag.name);
    if (!here.length) {
      main.append(deliveries(tag));
      index.append(make("section", {}, make("h2", {}, titled(tag.name)), link(tag.name, "", "Every event")));
      continue;
    }
    main.append(make("section", { class: "group", id: tag.name }, make("h2", {}, titled(tag.name)),
      make("p", {}, prose(tag.description)), here.map(section)));
    index.append(make("section", {}, make("h2", {}, titled(tag.name)),
      here.map((operation) => link(operation.operationId, operation.method, operation.summary))));
  }
}

function close() {
  byId("contents").classList.remove("open");
  byId("menu").setAttribute("aria-expanded", "false");
}

function wire() {
  const links = [...document.querySelectorAll("nav a")];
  byId("find").addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().trim();
    for (const one of links) one.hidden = !`${one.dataset.text} ${one.hash}`.includes(words);
    for (const part of document.querySelectorAll("nav section")) part.hidden = !part.querySelector("a:not([hidden])");
  });
  byId("menu").addEventListener("click", () => {
    const open = byId("contents").classList.toggle("open");
    byId("menu").setAttribute("aria-expanded", String(open));
  });
  byId("contents").addEventListener("click", (event) => event.target.closest("a") && close());
  document.addEventListener("keydown", (event) => event.key === "Escape" && close());
  const seen = new IntersectionObserver((entries) => {
    const top = entries.find((entry) => entry.isIntersecting);
    if (top) for (const one of links) one.classList.toggle("here", one.hash === `#${top.target.id}`);
  }, { rootMargin: "-15% 0px -75% 0px" });
  for (const article of document.querySelectorAll(".operation")) seen.observe(article);
}

async function start() {
  try {
    api = await (await fetch("/openapi.json")).json();
    write();
    wire();
    if (location.hash) byId(location.hash.slice(1))?.scrollIntoView();
  } catch (why) {
    byId("content").replaceChildren(make("p", { class: "waiting" }, `The description could not be read: ${why}`));
  }
}

start();
