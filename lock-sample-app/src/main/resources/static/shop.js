// Shows what the instances of the shop tell of their locks. Everything comes from GET /events of each instance; nothing is asked of Redis.

const MINUTE = 60_000;
const REPORT = 'stock-report';
const STOCK = 'stock:lamps';

const $ = id => document.getElementById(id);

const instances = [];          // {name, url, letter, own, state, board, boardAt, stream}
const holds = new Map();       // token and instance -> {lock, kind, instance, token, from, to, over}
const clients = new Map();     // a client's id in Redis -> instance
const waits = [];              // {at, millis, got}
const ticks = [];              // {at, ran: [], aside: []}
const writes = [];             // {at, instance, token, accepted}
let control = null;
let redis = { answers: true, state: null };

// --- what comes in

function acquired(instance, event) {
  endOverdue(event, instance);
  holds.set(key(instance, event.token), {
    lock: event.lock, kind: event.kind, instance, token: event.token, from: event.at, to: null, over: null,
  });
  waits.push({ at: event.at, millis: event.millis, got: true });
  if (event.lock === REPORT) tick(event.at).ran.push(instance);
}

// Another instance got the lock, so whoever still seems to have it has been without it since: killed, or standing still.
function endOverdue(event, instance) {
  for (const hold of holds.values()) {
    const shared = hold.kind === 'READ' && event.kind === 'READ';
    const stuck = hold.instance.state !== 'running' && (hold.to === null || hold.left);
    if (hold.lock !== event.lock || hold.instance === instance || shared || !stuck || hold.taken) continue;
    hold.taken = true;
    hold.over = Math.min(hold.over ?? event.at, event.at);
    if (hold.left) hold.to = Math.min(hold.to, event.at);
    tell(`${instance.name} took over ${event.lock}, which ${hold.instance.name} held.`);
  }
}

function released(instance, event) {
  const hold = holds.get(key(instance, event.token));
  if (hold && hold.to === null) hold.to = event.at;
}

function lost(instance, event) {
  const hold = holds.get(key(instance, event.token));
  if (hold) {
    hold.over ??= Math.min(event.at, hold.to ?? event.at);
    hold.to ??= event.at;
  }
  tell(`${instance.name} lost ${event.lock}: ${event.text}.`);
}

function busy(instance, event) {
  if (event.lock === REPORT) tick(event.at).aside.push(instance);
  else waits.push({ at: event.at, millis: event.millis, got: false });
}

function write(instance, event) {
  writes.unshift({ ...event, instance });
  writes.length = Math.min(writes.length, 10);
  const hold = holds.get(key(instance, event.token));
  // Who lost the lock and writes all the same was at work until now.
  if (hold?.over) hold.to = Math.max(hold.to ?? 0, event.at);
  if (!event.accepted) {
    tell(`The database refused ${instance.name}’s stale write: a later holder’s token is higher than ${event.token}.`);
  }
}

function board(instance, event) {
  instance.board = event;
  instance.boardAt = Date.now();
  if (event.client) clients.set(event.client, instance);
  // Holds from before this page was opened.
  for (const held of event.held) {
    if (!holds.has(key(instance, held.token))) {
      holds.set(key(instance, held.token), {
        lock: held.lock, kind: held.kind, instance, token: held.token, from: Date.now() - held.heldMillis, to: null, over: null,
      });
    }
  }
  if (event.redis !== redis.answers) {
    redis.answers = event.redis;
    tell(event.redis ? 'Redis answers again.' : 'Redis does not answer: nobody gets a lock, and nobody is told that it is busy.');
  }
}

function tick(at) {
  const last = ticks.at(-1);
  if (last && Math.abs(at - last.at) < 4_000) return last;
  const fresh = { at, ran: [], aside: [] };
  ticks.push(fresh);
  if (ticks.length > 20) ticks.shift();
  return fresh;
}

const key = (instance, token) => `${instance.name} ${token}`;

// --- connections

const HANDLERS = { acquired, released, lost, busy, write, board };

function connect(instance) {
  const stream = new EventSource(`${instance.url}/events`);
  for (const [type, handler] of Object.entries(HANDLERS)) {
    stream.addEventListener(type, message => {
      handler(instance, JSON.parse(message.data));
      // Without a launcher nobody else says that it runs.
      if (!control || instance.state === 'unknown') become(instance, 'running');
    });
  }
  stream.onerror = () => {
    stream.close();
    if (!control) become(instance, 'gone');
    instance.stream = null;
  };
  instance.stream = stream;
}

function become(instance, state) {
  if (instance.state === state) return;
  const before = instance.state;
  instance.state = state;
  if (state === 'gone') {
    tell(`${instance.name} is gone. What it holds moves on when its lease has run out.`);
    leave(instance);
  } else if (state === 'paused') {
    tell(`${instance.name} stands still, and does not know it.`);
  } else if (before !== 'unknown') {
    tell(`${instance.name} runs again.`);
  }
}

// A dead holder keeps its locks for what was left of the leases.
function leave(instance) {
  const remaining = new Map((instance.board?.held ?? []).map(held => [held.token, held.remainingMillis]));
  for (const hold of holds.values()) {
    if (hold.instance === instance && hold.to === null) {
      hold.left = true;
      hold.over ??= Date.now();
      hold.to = Math.max(Date.now(), (instance.boardAt ?? Date.now()) + (remaining.get(hold.token) ?? 4_000));
    }
  }
  instance.board = null;
}

async function askControl() {
  try {
    const state = await (await fetch(`${control}/state`)).json();
    redis.state = state.redis;
    for (const instance of instances) become(instance, state.instances[instance.name]);
  } catch {
    tell('The launcher is gone.');
    control = null;
  }
}

function reconnect() {
  for (const instance of instances) {
    if (!instance.stream && instance.state !== 'gone') connect(instance);
  }
}

// --- buttons

async function order(url, news) {
  tell(news);
  try {
    const answer = await fetch(url, { method: 'POST' });
    if (url.startsWith(`${control}/`) && !answer.ok) tell(`That did not work: ${(await answer.json()).error}`);
  } catch {
    // Whoever should have answered was killed meanwhile; the cards show it.
  }
}

function act(instance, what) {
  const at = `${control}/instances/${instance.name}`;
  switch (what) {
    case 'hold': return order(`${instance.url}/stock/lamps/count?time=15s`, `${instance.name} shall hold ${STOCK} for 15 seconds.`);
    case 'pause': return order(`${at}/pause`, `${instance.name} shall stand still in the middle of its work, until its lease is over and another has written.`);
    case 'kill': return order(`${at}/kill`, `${instance.name} is killed.`);
    default: return order(`${at}/start`, `${instance.name} is started.`);
  }
}

const BUTTONS = [
  ['hold', 'Hold longer'], ['pause', 'Pause past its lease'], ['kill', 'Kill'], ['start', 'Start'],
];

function card(instance) {
  const item = element('li', { 'data-own': instance.own, 'data-instance': instance.name });
  const title = element('h3');
  title.append(badge(instance), ` ${instance.name} `, element('span', { class: 'label state' }));
  const row = element('div', { class: 'row' });
  for (const [what, text] of BUTTONS) {
    const button = element('button', { type: 'button', 'data-act': what }, text);
    button.setAttribute('aria-label', `${text}: ${instance.name}`);
    button.addEventListener('click', () => act(instance, what));
    row.append(button);
  }
  item.append(title, element('p', { class: 'holding' }), row);
  return item;
}

// --- drawing

function element(name, attributes = {}, text = null) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  if (text !== null) made.textContent = text;
  return made;
}

function drawing(name, attributes = {}, text = null) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  if (text !== null) made.textContent = text;
  return made;
}

const badge = instance => element('span', { class: 'badge', 'data-own': instance.own, 'aria-hidden': 'true' }, instance.letter);

function named(instance) {
  const both = element('span');
  both.append(badge(instance), ` ${instance.name}`);
  return both;
}

function rows(body, lines, nothing, columns) {
  const made = lines.map(cells => {
    const row = element('tr');
    for (const cell of cells) {
      const td = element('td');
      td.append(...(Array.isArray(cell) ? cell : [cell]));
      row.append(td);
    }
    return row;
  });
  if (made.length === 0) {
    const row = element('tr');
    row.append(element('td', { colspan: columns, class: 'label' }, nothing));
    made.push(row);
  }
  body.replaceChildren(...made);
}

const clock = at => new Date(at).toLocaleTimeString('en-GB');
const seconds = millis => millis < 1000 ? `${Math.round(millis)} ms` : `${(millis / 1000).toFixed(1)} s`;
const token = text => element('span', { class: 'token' }, text);
const isOpen = hold => hold.to === null && hold.over === null;

function drawCards() {
  for (const instance of instances) {
    const item = document.querySelector(`[data-instance="${instance.name}"]`);
    const mine = [...holds.values()].filter(hold => hold.instance === instance && isOpen(hold));
    item.dataset.state = instance.state;
    item.querySelector('.state').textContent = instance.state === 'unknown' ? 'not heard of yet' : instance.state;
    item.querySelector('.holding').textContent =
        mine.length ? `holds ${mine.map(hold => hold.lock).sort().join(', ')}` : 'holds nothing';
    for (const button of item.querySelectorAll('button')) {
      const start = button.dataset.act === 'start';
      button.hidden = button.dataset.act !== 'hold' && !control;
      button.disabled = start ? instance.state !== 'gone' : instance.state !== 'running';
    }
  }
  $('no-control').hidden = Boolean(control);
  const state = redis.state ?? (redis.answers ? 'running' : 'stopped');
  $('redis-state').textContent = redis.answers || state === 'stopped' ? state : 'does not answer';
  $('redis-switch').hidden = !control || redis.state === 'elsewhere';
  $('redis-switch').textContent = state === 'stopped' ? 'Start Redis' : 'Stop Redis';
}

function drawLine(now) {
  const names = [...new Set([...holds.values()].map(hold => hold.lock))].sort();
  const width = Math.max($('line').clientWidth, 240);
  const lane = 9;
  const row = 22 + lane * instances.length + 8;
  const height = names.length * row + 20;
  const left = 16;
  const x = at => left + (width - left) * Math.max(0, 1 - (now - at) / MINUTE);
  const svg = drawing('svg', { viewBox: `0 0 ${width} ${height}`, height, role: 'img',
    'aria-label': `Time line of the last minute: ${names.length} locks, ${holds.size} holds by ${instances.length} instances` });
  const hatch = drawing('pattern', { id: 'hatch', width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' });
  hatch.append(drawing('path', { d: 'M0 0V5' }));
  svg.append(hatch);
  names.forEach((name, n) => {
    const top = n * row;
    svg.append(drawing('text', { class: 'name', x: 0, y: top + 14 }, name));
    instances.forEach((instance, i) => {
      const y = top + 22 + i * lane;
      svg.append(drawing('text', { class: 'lane-name', x: 0, y: y + 8 }, instance.letter));
      svg.append(drawing('rect', { class: 'lane', x: left, y, width: width - left, height: lane - 2 }));
    });
    for (const hold of holds.values()) {
      if (hold.lock === name) drawHold(svg, hold, top + 22 + hold.instance.own * lane, lane - 2, x, now);
    }
  });
  for (let ago = 0; ago <= 60; ago += width < 500 ? 20 : 10) {
    const at = x(now - ago * 1000);
    svg.append(drawing('line', { class: 'rule', x1: at, x2: at, y1: 0, y2: height - 16 }));
    svg.append(drawing('text', { x: at, y: height - 2, 'text-anchor': ago === 0 ? 'end' : ago === 60 ? 'start' : 'middle' },
        ago === 0 ? 'now' : `−${ago} s`));
  }
  $('line').replaceChildren(svg);
}

function drawHold(svg, hold, y, height, x, now) {
  const end = Math.min(hold.to ?? now, now);
  const good = Math.min(hold.over ?? end, end);
  const group = drawing('g', { 'data-own': hold.instance.own });
  const bar = (from, to, style) => group.append(drawing('rect',
      { class: style, x: x(from), y, width: Math.max(1.5, x(to) - x(from)), height, rx: 1.5 }));
  bar(hold.from, good, hold.kind === 'READ' ? 'read' : 'hold');
  if (end > good) bar(good, end, 'over');
  group.append(drawing('title', {},
      `${hold.lock}: ${hold.instance.name} for ${seconds(end - hold.from)} from ${clock(hold.from)}, token ${hold.token}`));
  svg.append(group);
}

function waiting(name) {
  const seen = instances.map(instance => instance.board?.queues.find(queue => queue.lock === name)).filter(Boolean);
  const line = seen.map(queue => queue.line).sort((a, b) => b.length - a.length)[0] ?? [];
  if (line.length) {
    return ['in this order: ', ...line.flatMap(id => clients.has(id) ? [badge(clients.get(id)), ' ', hiddenName(clients.get(id))] : ['? '])];
  }
  return instances.flatMap(instance => {
    const here = instance.board?.queues.find(queue => queue.lock === name)?.here ?? 0;
    return here ? [badge(instance), ` ${instance.name} ${here}  `] : [];
  });
}

const hiddenName = instance => element('span', { class: 'spoken' }, `${instance.name}, `);

function drawTables(now) {
  const held = [...holds.values()].filter(isOpen).sort((a, b) => a.lock.localeCompare(b.lock) || a.from - b.from);
  rows($('now'), held.map(hold => [
    element('code', {}, hold.lock), named(hold.instance), seconds(now - hold.from), token(hold.token), waiting(hold.lock),
  ]), 'Nothing is held.', 5);
  rows($('ticks'), [...ticks].reverse().slice(0, 8).map(each => [
    clock(each.at),
    each.ran.length ? each.ran.map(named) : '…',
    each.aside.length ? each.aside.flatMap(instance => [named(instance), ' ']) : '',
  ]), 'No tick yet.', 3);
  rows($('writes'), writes.map(each => [
    clock(each.at), named(each.instance), token(each.token),
    each.accepted ? element('span', { class: 'good' }, 'written') : element('span', { class: 'bad' }, 'refused: stale'),
  ]), 'Nothing written yet.', 4);
}

function drawBars(place, values, label) {
  const width = 300;
  const height = 56;
  const top = Math.max(...values, 1e-9);
  const svg = drawing('svg', { viewBox: `0 0 ${width} ${height}`, height, preserveAspectRatio: 'none', role: 'img', 'aria-label': label });
  const each = width / values.length;
  values.forEach((value, i) => {
    const tall = value / top * (height - 2);
    svg.append(drawing('rect', { class: 'bar', x: i * each + 0.5, y: height - tall, width: each - 1, height: tall }));
  });
  svg.append(drawing('line', { class: 'rule', x1: 0, x2: width, y1: height, y2: height }));
  place.replaceChildren(svg);
}

function drawPlots(now) {
  const count = new Array(60).fill(0);
  const longest = new Array(60).fill(0);
  for (const wait of waits) {
    const slot = 59 - Math.floor((now - wait.at) / 1000);
    if (slot < 0 || slot > 59) continue;
    if (wait.got) count[slot]++;
    longest[slot] = Math.max(longest[slot], wait.millis);
  }
  const rate = `${(count.reduce((a, b) => a + b, 0) / 60).toFixed(1)} a second over the last minute, at most ${Math.max(...count)} in one second.`;
  const middle = waits.map(wait => wait.millis).sort((a, b) => a - b)[Math.floor(waits.length / 2)] ?? 0;
  const text = `Half of the waits took less than ${seconds(middle)}, the longest ${seconds(Math.max(...longest))}.`;
  drawBars($('rate'), count, `Locks acquired in each second of the last minute: ${rate}`);
  drawBars($('waits'), longest, `Longest wait in each second of the last minute. ${text}`);
  $('rate-text').textContent = rate;
  $('waits-text').textContent = text;
}

function forget(now) {
  for (const [id, hold] of holds) {
    if (hold.to !== null && now - hold.to > MINUTE) holds.delete(id);
  }
  while (waits.length && now - waits[0].at > MINUTE) waits.shift();
}

function draw() {
  const now = Date.now();
  forget(now);
  drawCards();
  drawLine(now);
  drawTables(now);
  drawPlots(now);
}

function tell(text) {
  const item = element('p');
  item.append(element('span', { class: 'label' }, `${clock(Date.now())} `), text);
  $('news').prepend(item);
  while ($('news').children.length > 8) $('news').lastChild.remove();
}

// --- start

async function start() {
  const fleet = await (await fetch('fleet')).json();
  if (fleet.instances.length && location.hostname === 'localhost') {
    // The instances let each other's pages in by their addresses.
    location.hostname = '127.0.0.1';
    return;
  }
  control = fleet.control;
  const members = fleet.instances.length ? fleet.instances : [{ name: fleet.instance, url: location.origin }];
  members.forEach(({ name, url }, own) => {
    instances.push({ name, url, own, letter: name[0].toUpperCase(), state: 'unknown', board: null, boardAt: null, stream: null });
  });
  $('instances').replaceChildren(...instances.map(card));
  $('redis-switch').addEventListener('click', () => {
    const stop = redis.state !== 'stopped';
    order(`${control}/redis/${stop ? 'stop' : 'start'}`, stop ? 'Redis is stopped.' : 'Redis is started, and empty.');
  });
  if (control) await askControl();
  reconnect();
  setInterval(reconnect, 2_000);
  setInterval(() => control && askControl(), 1_000);
  setInterval(draw, 500);
  draw();
}

start();
