// Shows the jobs' last ticks, and the locks that any instance holds. It asks one instance, which asks Redis; if the instance does not answer, the next one is asked.

import { $, change, clock, duration, each, element, text } from './dom.js';

const EVERY_MILLIS = 1_000;

const { instances } = await (await fetch('fleet')).json();
const hosts = instances.length > 0 ? instances.map(instance => instance.url) : [location.origin];

async function ask(query) {
  const failures = [];
  for (const host of [...hosts]) {
    try {
      const answer = await fetch(`${host}/actuator/locks${query}`, { signal: AbortSignal.timeout(5_000) });
      const report = await answer.json();
      if (!answer.ok) throw new Error(report.error);
      return report;
    } catch (failure) {
      failures.push(failure.message);
      hosts.push(hosts.shift());
    }
  }
  throw new Error(failures[0]);
}

/** An ISO duration of less than a day, as Java writes it. */
function millis(iso) {
  const [, hours = 0, minutes = 0, seconds = 0] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(iso) ?? [];
  return ((hours * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

/** A row of a table. On a phone, each cell shows its column's name. */
function row(body) {
  const made = element('tr');
  for (const head of body.closest('table').querySelectorAll('th')) made.append(element('td', { 'data-column': head.textContent }));
  return made;
}

/** A holder without a name is one on Redisson, or one whose name a Redis has just forgotten. Its id is too long for a phone. */
const who = ({ client, owner }) => client ?? owner.replace(/^(.{6})[^:]*/, '$1…');

const more = (count, shown) => count > shown ? `, and ${count - shown} more` : '';

function show(report) {
  text($('found'), `${report.locks.length} held${report.complete ? '' : `; ${report.missing}`}`);
  each($('locks'), report.locks, lock => lock.name, () => row($('locks')), (line, lock) => {
    const cells = [
      lock.name,
      lock.kind.toLowerCase().replace('_', ' '),
      lock.holders.map(who).join(', ') + more(lock.holderCount, lock.holders.length),
      lock.holders[0].since ? clock(lock.holders[0].since) : '',
      lock.remaining ? duration(millis(lock.remaining)) : '',
      lock.waiting.map(who).join(', ') + more(lock.queueLength, lock.waiting.length),
    ];
    cells.forEach((cell, i) => text(line.children[i], cell));
  });
}

/** One cell of a strip. Ticks that nobody ran for one reason are one cell, with their number. */
function cell({ outcome, ticks, tick, instance, took, reason }) {
  const kind = outcome === 'SUCCEEDED' || outcome === 'RUNNING' ? outcome.toLowerCase()
    : outcome === 'MISSED' ? (reason === 'paused' ? 'paused' : 'missed') : 'failed';
  const title = [clock(tick), outcome.toLowerCase(), instance, took && duration(millis(took)), reason].filter(Boolean).join(', ');
  const sign = outcome === 'MISSED' ? String(ticks) : kind === 'failed' ? '!' : '';
  return { kind, title, sign };
}

/** Says in a few words what an operator has to know. */
function state(job) {
  if (job.overdueSince) return `overdue since ${clock(job.overdueSince)}`;
  if (job.running) return `runs on ${job.running.instance} since ${clock(job.running.began)}`;
  const last = job.history.find(entry => entry.outcome !== 'MISSED');
  if (!last) return 'has not run yet';
  return last.outcome === 'SUCCEEDED' ? 'well' : `the last run ${last.outcome.toLowerCase()}${last.reason ? `: ${last.reason}` : ''}`;
}

function showJobs(report) {
  const jobs = report.declared.flatMap(lock => Array.isArray(lock.jobs) ? lock.jobs : []);
  each($('jobs'), jobs, job => job.lock, () => {
    const made = row($('jobs'));
    made.children[1].append(element('span', { class: 'strip' }));
    return made;
  }, (line, job) => {
    text(line.children[0], job.lock);
    const strip = line.children[1].firstChild;
    const cells = job.history.map(cell);
    // The strip runs from right to left, so the newest cell comes first.
    strip.replaceChildren(...cells.map(({ kind, title, sign }) => element('span', { class: `tick ${kind}`, title }, sign)));
    change(strip, { role: 'img', 'aria-label': cells.map(({ title }) => title).join('; ') });
    text(line.children[2], state(job));
    change(line.children[2], { class: state(job).startsWith('overdue') || state(job).startsWith('the last run') ? 'bad' : null });
    text(line.children[3], job.nextTick ? clock(job.nextTick) : '');
  });
}

async function refresh() {
  try {
    showJobs(await ask(''));
    show(await ask('?fleet'));
    change($('found'), { class: 'note' });
  } catch (failure) {
    text($('found'), failure.message);
    change($('found'), { class: 'note bad' });
  }
  setTimeout(refresh, EVERY_MILLIS);
}

await refresh();
