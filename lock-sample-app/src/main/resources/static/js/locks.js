// Shows the locks that any instance holds. It asks one instance, which asks Redis; if the instance does not answer, the next one is asked.

import { $, change, clock, duration, each, element, text } from './dom.js';

const EVERY_MILLIS = 1_000;

/** On a phone, each cell shows its column's name. */
const COLUMNS = [...document.querySelectorAll('th')].map(head => head.textContent);

const { instances } = await (await fetch('fleet')).json();
const hosts = instances.length > 0 ? instances.map(instance => instance.url) : [location.origin];

async function ask() {
  const failures = [];
  for (const host of [...hosts]) {
    try {
      const answer = await fetch(`${host}/actuator/locks?fleet`, { signal: AbortSignal.timeout(5_000) });
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

const who = ({ client, owner }) => client ?? owner;

const more = (count, shown) => count > shown ? `, and ${count - shown} more` : '';

function show(report) {
  text($('found'), `${report.locks.length} held${report.complete ? '' : `; ${report.missing}`}`);
  each($('locks'), report.locks, lock => lock.name, () => {
    const row = element('tr');
    for (const column of COLUMNS) row.append(element('td', { 'data-column': column }));
    return row;
  }, (row, lock) => {
    const cells = [
      lock.name,
      lock.kind.toLowerCase().replace('_', ' '),
      lock.holders.map(who).join(', ') + more(lock.holderCount, lock.holders.length),
      lock.holders[0].since ? clock(lock.holders[0].since) : '',
      lock.remaining ? duration(millis(lock.remaining)) : '',
      lock.waiting.map(who).join(', ') + more(lock.queueLength, lock.waiting.length),
    ];
    cells.forEach((cell, i) => text(row.children[i], cell));
  });
}

async function refresh() {
  try {
    show(await ask());
    change($('found'), { class: 'note' });
  } catch (failure) {
    text($('found'), failure.message);
    change($('found'), { class: 'note bad' });
  }
  setTimeout(refresh, EVERY_MILLIS);
}

await refresh();
