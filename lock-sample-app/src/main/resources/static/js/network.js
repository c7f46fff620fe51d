// Listens to every instance, and asks the launcher how the processes are.

const KINDS = ['acquired', 'released', 'lost', 'busy', 'unavailable', 'trouble', 'write', 'board'];

/** Opens an instance's events, and opens them again after they broke. */
export class Streams {
  constructor(model) {
    this.model = model;
    this.open = new Map();
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
      stream.addEventListener(kind, message => this.model[kind](instance, JSON.parse(message.data)));
    }
    // Without a launcher, the stream is what tells whether the instance runs.
    stream.onopen = () => { if (!this.model.control) this.model.become(instance, 'running', Date.now()); };
    stream.onerror = () => {
      stream.close();
      this.open.delete(instance);
      if (!this.model.control) this.model.become(instance, 'gone', Date.now());
    };
  }
}

/** The launcher. A question that fails is asked again; the buttons wait until it answers. */
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
    // The process that should have answered was stopped; its card shows it.
    return false;
  }
}
