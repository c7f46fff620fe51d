// Three stories to try. Each describes what to expect, and afterwards what happened according to the events.

import { $, change, duration, element, text } from './dom.js';
import { post } from './network.js';

const STOCK = 'stock:lamps';

export class Story {
  constructor(model, launcher) {
    this.model = model;
    this.launcher = launcher;
    this.steps = [
      new Step('kill', '1. Kill the holder', 'Its lock stays taken until the lease ends, at most 4 seconds. Then another instance continues.',
          run => this.kill(run), run => this.killed(run)),
      new Step('freeze', '2. Freeze it past its lease', 'Its lease ends. It wakes up and reports the loss, but its count goes on, and writes. The database refuses the write by its token.',
          run => this.freeze(run), run => this.frozen(run)),
      new Step('redis', '3. Stop Redis', 'Every lock becomes unavailable, which is not the same as busy. After the start, tokens continue to grow.',
          run => this.stopRedis(run), run => this.redisStopped(run)),
    ];
    $('story').replaceChildren(...this.steps.map(step => step.node));
  }

  update() {
    for (const step of this.steps) step.update(this.model, this.launcher);
  }

  running() {
    return this.model.instances.filter(each => each.state === 'running');
  }

  async kill(run) {
    const [victim, heir] = this.running();
    run.victim = victim;
    post(`${victim.url}/stock/lamps/count?time=30s`, { tell() {} });
    run.until(() => this.model.heldBy(victim).some(hold => hold.lock === STOCK), () => {
      run.killedAt = Date.now();
      this.launcher.order(`/instances/${victim.name}/kill`);
      post(`${heir.url}/stock/lamps/count?time=1s`, this.model);
    });
  }

  killed(run) {
    const next = run.killedAt && this.#next(hold => hold.instance !== run.victim && hold.from > run.killedAt);
    return next && `${next.instance.name} got ${STOCK} ${duration(next.from - run.killedAt)} after ${run.victim.name} was killed.`;
  }

  async freeze(run) {
    run.victim = this.running()[0];
    run.refused = this.model.refusedWrites;
    this.launcher.order(`/instances/${run.victim.name}/pause`);
  }

  frozen(run) {
    const refused = this.model.refusedWrites > run.refused && this.model.writes.find(each => !each.accepted);
    return refused && `The database refused ${refused.instance.name}’s write${this.model.comparison(STOCK, refused.token, refused.previous)}.`;
  }

  async stopRedis(run) {
    run.last = this.#newest()?.token ?? '0';
    await this.launcher.order('/redis/stop');
    run.stoppedAt = Date.now();
    const refused = () => this.model.refusals.some(each => each.unavailable && each.at > run.stoppedAt);
    const passed = () => Date.now() - run.stoppedAt;
    run.until(() => passed() > 4_000 && (refused() || passed() > 15_000),
        () => { run.refused = refused();
          run.startedAt = Date.now(); this.launcher.order('/redis/start'); });
  }

  redisStopped(run) {
    const next = run.startedAt && this.#next(hold => hold.from > run.startedAt);
    return next && `${run.refused ? 'Callers got “unavailable”, nobody got “busy”. ' : ''}Redis came back empty, and the first new token is ${this.model.number(STOCK, next.token)}, and the last one was ${this.model.number(STOCK, run.last)}.`;
  }

  #newest() {
    return [...this.model.holds.values()].filter(hold => hold.lock === STOCK).sort((a, b) => b.from - a.from)[0];
  }

  #next(wanted) {
    return [...this.model.holds.values()].filter(hold => wanted(hold)).sort((a, b) => a.from - b.from)
        .find(hold => hold.lock === STOCK) ?? null;
  }
}

class Step {
  constructor(id, title, expected, act, outcome) {
    this.id = id;
    this.outcome = outcome;
    this.button = element('button', { type: 'button', 'data-step': id }, title);
    this.said = element('p', { class: 'outcome', 'aria-live': 'polite' }, 'Not tried yet.');
    this.node = element('li', {}, this.button, element('p', {}, expected), this.said);
    this.button.addEventListener('click', () => {
      this.run = new Run();
      text(this.said, '…');
      act(this.run);
    });
  }

  update(model, launcher) {
    this.run?.check();
    if (this.run && !this.run.done) {
      const said = this.outcome(this.run);
      if (said) { this.run.done = true; text(this.said, said); }
    }
    const enough = model.instances.filter(each => each.state === 'running').length >= 2;
    const possible = launcher?.answers && (this.id === 'redis' ? launcher.redis === 'running' : enough);
    this.button.disabled = !possible || Boolean(this.run && !this.run.done);
  }
}

class Run {
  done = false;

  /** Sets the condition for the next step, and the step. */
  until(condition, then) {
    this.condition = condition;
    this.then = then;
  }

  check() {
    if (this.condition?.()) {
      const then = this.then;
      this.condition = null;
      then();
    }
  }
}
