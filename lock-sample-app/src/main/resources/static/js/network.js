// Listens to every instance, and asks the launcher for the state of the processes.

const KINDS = ['acquired', 'released', 'lost', 'busy', 'unavailable', 'trouble', 'write', 'board'];

/** Opens the event streams of the instances, and opens them again after they broke. */
export class Streams {
  constructor(model) {
    this.model = model;
    this.open = new Map();
    this.seen = new Map();          // instance -> the id of its last event
  }

  connect() {
    for (const instance of this.model.instances) {
      if (!this.open.has(instance) && instance.state !== 'gone') this.#listen(instance);
    }
  }

  #listen(instance) {
    const stream = new EventSource(`${instance.url}/events`);
    this.open.set(instance, stream);
    for (const kind of KINDS) {
      stream.addEventListener(kind, message => {
        if (this.#isNew(instance, message.lastEventId)) this.model[kind](instance, JSON.parse(message.data));
      });
    }
    // These are no event of the process, but what the database has when the stream begins.
    stream.addEventListener('tokens', message => this.model.known(JSON.parse(message.data)));
    // Without a launcher, only the stream shows whether the instance runs.
    stream.onopen = () => { if (!this.model.control) this.model.become(instance, 'running', Date.now()); };
    stream.onerror = () => {
      stream.close();
      this.open.delete(instance);
      if (!this.model.control) this.model.become(instance, 'gone', Date.now());
    };
  }

  /** An instance repeats its last minute for each new stream. An id is the start of its process, and a number. */
  #isNew(instance, id) {
    const [process, number] = id.split('-').map(Number);
    const last = this.seen.get(instance);
    if (last && last.process === process && number <= last.number) return false;
    this.seen.set(instance, { process, number });
    return true;
  }
}

/** The connection to the launcher. A failed request is repeated, and the buttons are disabled until the launcher answers. */
export class Launcher {
  constructor(model, url) {
    this.model = model;
    this.url = url;
    this.answers = true;
    this.redis = 'running';
  }

  async ask() {
    try {
      const answer = await fetch(`${this.url}/state`, { signal: AbortSignal.timeout(5_000) });
      const state = await answer.json();
      this.redis = state.redis;
      const now = Date.now();
      this.model.redisIs(state.redis, now);
      for (const instance of this.model.instances) this.model.become(instance, state.instances[instance.name], now);
      if (!this.answers) this.model.tell('The launcher answers again.');
      this.answers = true;
    } catch {
      if (this.answers) this.model.tell('The launcher does not answer. The page keeps asking.');
      this.answers = false;
    }
  }

  order(path) {
    return post(`${this.url}${path}`, this.model);
  }
}

export async function post(url, model) {
  try {
    const answer = await fetch(url, { method: 'POST' });
    if (!answer.ok) model.tell(`That did not work: ${(await answer.json().catch(() => ({}))).error ?? answer.status}.`);
    return answer.ok;
  } catch {
    // The process that should have answered was stopped, which its card shows.
    return false;
  }
}
