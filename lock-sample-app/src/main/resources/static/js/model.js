// The state of the fleet, derived from the instances' events. It depends on neither the page nor the network.

/** The length of the period that the page shows, in ms. */
export const WINDOW = 60_000;

/** The times of two events of different threads differ by less than this from when they happened, on a busy machine too. */
const TOLERANCE = 150;

/** Two clocks that both run: Redis' and a holder's. */
const DRIFT = 5;

/** The time within which every event arrives. Pairs of holds are compared only after it. */
const ARRIVAL = 1_000;

export class Model {
  /** @param {{name: string, url: string}[]} members @param {{lock: string, brief: boolean}[]} rows */
  constructor(members, rows, leaseMillis) {
    this.instances = members.map(({ name, url }, index) => ({
      name, url, index, letter: name[0].toUpperCase(), state: 'unknown', board: null,
    }));
    this.rows = rows;
    this.leaseMillis = leaseMillis;
    this.redis = 'running';
    this.holds = new Map();         // lock and token -> hold
    this.refusals = [];             // waits that ended without the lock: {lock, instance, at, waited, unavailable}
    this.marks = [];                // {at, text, instance, kind}
    this.outages = [];              // {from, to}; to is null while Redis does not answer
    this.writes = [];               // newest first: {at, instance, token, previous, accepted}
    this.acquisitions = 0;
    this.refusedWrites = 0;
    this.overlaps = new Map();      // the two tokens -> a sentence
    this.spans = [];                // where two holders of a lock worked at once: {lock, from, to}
    this.ended = new Map();         // holds that are over, including those no longer shown -> time
    this.tokens = new Tokens();
    this.news = [];                 // sentences for the log, taken by the page
  }

  // --- incoming events

  acquired(instance, event) {
    // A snapshot may have reported the hold earlier than the event.
    const hold = this.#add(instance, event, event.at) ?? this.holds.get(key(event));
    if (!hold) return;
    hold.waited = hold.asked = event.millis;
    hold.handedOver = event.handedOver;
    for (const other of this.holds.values()) {
      // The hold of a killed holder ends with its lease, before another instance tells that it has the lock.
      const stopped = other.instance !== instance
          && (other.killed !== null || (other.instance.state !== 'running' && other.to === null));
      if (other.lock !== event.lock || !stopped || other.takenOver || bothRead(hold, other) || byToken(other.token, hold.token) > 0) continue;
      other.takenOver = true;
      // A lease that a release has granted may be shorter than the others.
      if (other.leaseAssumed) other.leaseEnd = Math.min(other.leaseEnd, event.at);
      this.tell(`${instance.name} took over ${event.lock}, which ${other.instance.name} held.`, event.at);
    }
  }

  released(instance, event) {
    const hold = this.holds.get(key(event));
    this.#end(key(event), event.at);
    // The event may be late, for example after a pause of the process. The time held is correct even then.
    if (hold && hold.to === null) hold.to = Math.min(event.at, Math.max(hold.from, hold.from + event.millis));
    if (hold) hold.held = Math.max(hold.held, event.millis);
  }

  lost(instance, event) {
    const hold = this.holds.get(key(event));
    if (hold) hold.over ??= Math.min(hold.leaseEnd ?? event.at, event.at);
    if (hold) hold.lost = event.cause;
    if (hold && hold.to === null) hold.to = event.at;
    this.#end(key(event), event.at);
    this.tell(`${instance.name} lost ${event.lock}: ${event.text}.`, event.at);
  }

  busy(instance, event) {
    this.refusals.push({ lock: event.lock, instance, at: event.at, waited: event.millis, unavailable: false });
  }

  unavailable(instance, event) {
    this.refusals.push({ lock: event.lock, instance, at: event.at, waited: event.millis, unavailable: true });
    this.#once(`unavailable ${instance.name}`, 5_000, event.at,
        `${instance.name}: ${event.lock} is unavailable, because Redis cannot be asked. Nobody is told that it is busy.`);
  }

  trouble() {}

  /** Applies the tokens of locks that the database knows. They were counted since the first one. */
  known(locks) {
    for (const { lock, before, tokens } of locks) this.tokens.begin(lock, before, tokens);
  }

  write(instance, event) {
    const lock = `stock:${event.item}`;
    const previous = this.writes.filter(each => each.accepted && each.at <= event.at)
        .sort((one, other) => other.at - one.at)[0]?.token ?? null;
    this.tokens.add(lock, event.token);
    this.writes.push({ ...event, lock, instance, previous });
    this.writes.sort((one, other) => other.at - one.at);
    this.writes.length = Math.min(this.writes.length, 5);
    const hold = this.holds.get(key({ lock, token: event.token }));
    // This write shows that the holder continued to work after it lost its lock.
    if (hold?.over) hold.to = Math.max(hold.to ?? 0, event.at);
    if (!event.accepted) {
      this.refusedWrites++;
      this.tell(`The database refused ${instance.name}’s stale write${this.comparison(lock, event.token, previous)}.`, event.at);
    }
  }

  /** Applies a snapshot of an instance's locks. An older hold that is missing from the snapshot is over. */
  board(instance, event) {
    instance.board = event;
    const present = new Set();
    for (const held of event.held) {
      present.add(key(held));
      const hold = this.#add(instance, held, event.at - held.heldMillis);
      if (hold) hold.waited = 0;
      const known = this.holds.get(key(held));
      if (known && held.remainingMillis > 0) known.held = Math.max(known.held, held.heldMillis);
    }
    for (const [id, hold] of this.holds) {
      if (hold.instance === instance && hold.to === null && hold.from < event.at && !present.has(id)) {
        hold.to = event.at;
        this.#end(id, event.at);
      }
    }
    this.#redis(event.at);
  }

  /** Applies a process state that the launcher reported: starting, running, paused or gone. */
  become(instance, state, now) {
    const before = instance.state;
    if (before === state) return;
    instance.state = state;
    if (state === 'gone' || state === 'paused') {
      for (const hold of this.holds.values()) {
        if (hold.instance === instance && hold.to === null) this.#stop(hold, state, now);
      }
    }
    if (state === 'gone') instance.board = null;
    if (before === 'unknown') return;
    const kind = { gone: 'killed', paused: 'paused', starting: 'started', running: before === 'paused' ? 'resumed' : 'ready' }[state];
    this.marks.push({ at: now, instance, kind });
    this.tell({
      killed: `${instance.name} is gone. Redis keeps its locks until their leases end.`,
      paused: `${instance.name} is paused and does not know it.`,
      resumed: `${instance.name} continues.`,
      started: `${instance.name} is starting.`,
      ready: `${instance.name} is running.`,
    }[kind]);
  }

  /** Applies a state of Redis that the launcher reported: running, stopped, or elsewhere. */
  redisIs(state, now) {
    this.redis = state;
    this.#redis(now);
  }

  tell(text, at = Date.now()) {
    this.news.push({ at, text });
  }

  // --- conclusions

  /** Returns a lock's token as a person compares it: 7 for the seventh one. */
  number(lock, token) {
    return this.tokens.number(lock, token);
  }

  /** Says why a write was refused, where the page knows the token of the write before. */
  comparison(lock, token, previous) {
    return previous ? `: token ${this.number(lock, token)} is lower than ${this.number(lock, previous)}` : '';
  }

  /** Compares each pair of holds when all of their events have arrived. */
  compare(now) {
    const holds = [...this.holds.values()].sort((one, other) => byToken(one.token, other.token));
    holds.forEach((later, n) => {
      if (now - later.from < ARRIVAL) return;
      for (const earlier of holds.slice(0, n)) {
        if (earlier.lock !== later.lock || bothRead(earlier, later)) continue;
        const id = `${earlier.lock} ${earlier.token} ${later.token}`;
        const common = together(earlier, later, now);
        if (common <= 0 || this.overlaps.has(id)) continue;
        const text = `${earlier.instance.name} and ${later.instance.name} held ${earlier.lock} together for ${Math.round(common)} ms.`;
        this.overlaps.set(id, text);
        this.spans.push({ lock: later.lock, from: later.from, to: later.from + common });
        this.tell(`OVERLAP: ${text}`);
      }
    });
  }

  /** Whether Redis answers. If it does not, nobody knows who holds a lock. */
  isKnown() {
    return this.outages.at(-1)?.to !== null;
  }

  /**
   * Returns the holds of a lock that are not over, including those that only Redis still keeps. Instances report independently of each other, so the
   * news of a release may follow the news of the next hold. A higher token tells that the hold before it is over.
   */
  holders(lock) {
    const holds = [...this.holds.values()].filter(hold => hold.lock === lock);
    return holds.filter(hold => hold.to === null
        && !holds.some(other => byToken(hold.token, other.token) < 0 && !bothRead(hold, other)));
  }

  /** Returns those of an instance. */
  heldBy(instance) {
    const locks = [...this.holds.values()].filter(hold => hold.instance === instance && hold.to === null).map(hold => hold.lock);
    return [...new Set(locks)].flatMap(lock => this.holders(lock)).filter(hold => hold.instance === instance);
  }

  waiting() {
    return this.instances.flatMap(instance =>
        (instance.state === 'running' && instance.board?.waiting || []).map(wait => ({ ...wait, instance, at: instance.board.at })));
  }

  longestWait() {
    const ended = [...this.holds.values()].map(hold => hold.waited ?? 0);
    return Math.max(0, ...ended, ...this.refusals.map(each => each.waited), ...this.waiting().map(each => each.millis));
  }

  /** Ends the leases of killed holders, and forgets what is no longer shown. */
  pass(now) {
    for (const [id, hold] of this.holds) {
      if (hold.to === null && hold.leaseEnd !== null && hold.instance.state === 'gone' && hold.leaseEnd <= now) {
        hold.to = hold.leaseEnd;
        this.#end(id, now);
      }
      if (hold.to !== null && now - hold.to > WINDOW) this.holds.delete(id);
    }
    for (const [id, at] of this.ended) if (now - at > 5 * WINDOW) this.ended.delete(id);
    this.refusals = this.refusals.filter(each => now - each.at <= WINDOW);
    this.marks = this.marks.filter(each => now - each.at <= WINDOW);
    this.outages = this.outages.filter(each => each.to === null || now - each.to <= WINDOW);
    this.spans = this.spans.filter(each => now - each.to <= WINDOW);
    this.compare(now);
  }

  #add(instance, event, from) {
    const id = key(event);
    if (this.holds.has(id) || this.ended.has(id)) return null;
    const row = this.rows.find(each => each.lock === event.lock);
    const hold = {
      lock: event.lock, kind: event.kind, instance, token: event.token, from, to: null,
      leaseEnd: null, leaseAssumed: false, over: null, lost: null, stopped: null, killed: null,
      waited: null, asked: Infinity, held: 0, handedOver: false, takenOver: false,
      brief: row?.brief ?? false,
    };
    this.holds.set(id, hold);
    this.acquisitions++;
    this.tokens.add(hold.lock, hold.token);
    return hold;
  }

  #stop(hold, state, now) {
    const board = hold.instance.board;
    const known = board?.held.find(each => key(each) === key(hold));
    hold.leaseEnd = known ? board.at + known.remainingMillis : hold.from + this.leaseMillis;
    hold.leaseAssumed = !known;
    hold.stopped = now;
    if (state === 'gone') hold.killed = now;
  }

  #end(id, now) {
    this.ended.set(id, now);
  }

  /** Records whether Redis answers: the launcher does not report it stopped, and every running instance reaches it. */
  #redis(at) {
    const answers = this.redis !== 'stopped'
        && this.instances.every(each => each.state !== 'running' || !each.board || each.board.redis);
    const last = this.outages.at(-1);
    const open = last?.to === null ? last : null;
    if (answers && open) {
      open.to = at;
      this.tell('Redis answers again.', at);
    } else if (!answers && !open) {
      this.outages.push({ from: at, to: null });
      this.tell('Redis does not answer: every lock is unavailable.', at);
    }
  }

  #said = new Map();

  #once(what, every, at, text) {
    if (at - (this.#said.get(what) ?? 0) < every) return;
    this.#said.set(what, at);
    this.tell(text, at);
  }
}

export const key = each => `${each.lock} ${each.token}`;

const bothRead = (one, other) => one.kind === 'READ' && other.kind === 'READ';

const byToken = (one, other) => one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);

/** The time of Redis at which a token was drawn, in ms: a token is that time in µs, times 1,024. */
const drawnAt = token => Number(BigInt(token) / 1024n) / 1000;

/**
 * Returns for how many ms two holders worked at once, as far as it is proven. The time at which an event is seen proves nothing, because it may be late.
 */
function together(earlier, later, now) {
  if (earlier.instance === later.instance) {
    // The events of one process are in order.
    const end = Math.min(earlier.to ?? now, earlier.over ?? Infinity, earlier.killed ?? Infinity);
    return above(end - later.from, TOLERANCE);
  }
  // The lease of a holder that stood still, and lost it, was over before.
  const stoodStill = earlier.lost && earlier.stopped !== null;
  // Redis' own times: it granted the later one before the earlier one had worked for as long as it did. A client counts its hold from its request.
  const worked = Math.max(0, earlier.held - earlier.asked);
  const granted = stoodStill ? 0 : above(drawnAt(earlier.token) + worked - drawnAt(later.token), DRIFT);
  // Redis forgot the lock while its holder ran. A lease that was lost otherwise was over before Redis granted the lock again.
  const lost = earlier.lost === 'GONE' && !stoodStill ? above(earlier.over - later.from, TOLERANCE) : 0;
  return Math.max(granted, lost);
}

const above = (millis, limit) => millis > limit ? millis : 0;

/** Numbers the tokens of each lock in their order since the first one: 1, 2, 3. Redis' own numbers have 19 digits. */
class Tokens {
  static MOST = 2_000;

  #known = new Map();             // lock -> {before, tokens}

  /** Counts from what the database knows, for every viewer alike. Tokens that only this page has heard of are added. */
  begin(lock, before, tokens) {
    const heard = this.#known.get(lock)?.tokens ?? [];
    this.#known.set(lock, { before, tokens });
    for (const token of heard) if (!tokens.length || byToken(token, tokens[0]) > 0) this.add(lock, token);
  }

  add(lock, token) {
    if (!this.#known.has(lock)) this.#known.set(lock, { before: 0, tokens: [] });
    const known = this.#known.get(lock);
    const at = this.#rank(known.tokens, token);
    if (known.tokens[at] === token) return;
    known.tokens.splice(at, 0, token);
    if (known.tokens.length > Tokens.MOST) {
      known.before += known.tokens.splice(0, Tokens.MOST / 2).length;
    }
  }

  number(lock, token) {
    const known = this.#known.get(lock) ?? { before: 0, tokens: [] };
    return known.before + this.#rank(known.tokens, token) + 1;
  }

  #rank(tokens, token) {
    let [low, high] = [0, tokens.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (byToken(tokens[middle], token) < 0) low = middle + 1; else high = middle;
    }
    return low;
  }
}
