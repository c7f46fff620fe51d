// The picture, with one row for each lock, and time from left to right. Nothing is drawn twice: the rows move as a whole, and bars change in place.

import { WINDOW, key } from './model.js';
import { $, change, clock, drawing, duration, each, element, text } from './dom.js';

const HEIGHT = 34;              // the height of a row's drawing
const WAITS = 11;               // the upper part, where waits are thin lines
const BAR = HEIGHT - WAITS - 2;
const THIRD = BAR / 3;          // readers share a row, so each instance's readers have a third of it
const NAME = 70;                // the width of the longest name of a mark
const LINES = [9, 20, 31];      // where names of marks stand, so that none is above another one

export class Plot {
  /** @param {() => void} redraw draws the whole page: the rows alone would be newer than the cards */
  constructor(model, redraw) {
    this.model = model;
    this.redraw = redraw;
    this.base = Date.now();
    this.rows = model.rows.map(row => new Row(row, this));
    $('rows').replaceChildren(...this.rows.map(row => row.node));
    this.marks = drawing('g');
    this.outages = drawing('g');
    this.overlay = drawing('svg', { class: 'overlay', 'aria-hidden': 'true' }, this.outages, this.marks);
    $('rows').append(this.overlay);
    new ResizeObserver(() => { this.measure(); redraw(); }).observe($('rows'));
    this.measure();
  }

  measure() {
    this.width = this.rows[0].svg.clientWidth || 300;
    this.scale = this.width / WINDOW;
    this.height = $('rows').clientHeight;
    const left = this.rows[0].svg.getBoundingClientRect().left - $('rows').getBoundingClientRect().left;
    change(this.overlay, { width: this.width, height: this.height });
    this.overlay.style.left = `${left}px`;
    this.overlay.style.width = `${this.width}px`;
  }

  x(at) {
    return (at - this.base) * this.scale;
  }

  draw(now) {
    const shift = `translate(${(this.width - this.x(now)).toFixed(1)} 0)`;
    const holds = [...this.model.holds.values()];
    for (const row of this.rows) row.draw(holds, now, shift);
    change(this.marks, { transform: shift });
    change(this.outages, { transform: shift });
    each(this.outages, this.model.outages, outage => outage.from,
        () => drawing('rect', { class: 'outage', y: 0, height: '100%' }),
        (rect, outage) => change(rect, { x: this.x(outage.from), width: Math.max(1, this.x(outage.to ?? now) - this.x(outage.from)) }));
    each(this.marks, this.model.marks, mark => `${mark.at} ${mark.instance.name} ${mark.kind}`,
        mark => drawing('g', { 'data-own': mark.instance.index },
            drawing('line', { class: 'mark', y1: 0, y2: '100%' }),
            drawing('text', { class: 'mark-name' }, `${mark.instance.letter} ${mark.kind}`)),
        (group, mark) => {
          change(group, { transform: `translate(${this.x(mark.at)} 0)` });
          // The name of a new mark is at its left, and moves to its right when there is room.
          const fits = this.x(now) - this.x(mark.at) > NAME;
          mark.line ??= this.lineOf(mark);
          change(group.lastChild, { x: fits ? 4 : -4, y: LINES[mark.line] ?? null, 'text-anchor': fits ? null : 'end',
            visibility: mark.line in LINES ? null : 'hidden' });
        });
  }

  /** The first line where no other name can come close, at the left or the right of its mark. Without one, the name is left out: the log has it. */
  lineOf(mark) {
    const near = this.model.marks.filter(other => Math.abs(this.x(other.at) - this.x(mark.at)) < 2 * NAME);
    return LINES.findIndex((y, line) => near.every(other => other === mark || other.line !== line));
  }

  /** Describes a bar in one line. The line has a fixed height, so that nothing moves. */
  tell(hold) {
    const end = hold.to ?? Date.now();
    const how = [
      hold.kind === 'READ' ? 'reads' : 'holds', hold.lock, `for ${duration(end - hold.from)} from ${clock(hold.from)}`,
      `token ${this.model.number(hold.lock, hold.token)}`, hold.waited ? `after waiting ${duration(hold.waited)}` : '',
      hold.handedOver ? 'handed over in memory, without Redis' : '',
      hold.leaseEnd !== null ? `lease ends ${clock(hold.leaseEnd)}` : '',
    ].filter(Boolean);
    text($('detail'), `${hold.instance.name} ${how[0]} ${how[1]} ${how.slice(2).join(', ')}`);
    change($('detail'), { title: `Fencing token ${hold.token}` });
  }
}

class Row {
  constructor(row, plot) {
    this.lock = row.lock;
    this.plot = plot;
    this.time = drawing('g');
    this.both = drawing('g');
    this.svg = drawing('svg', { class: 'lane', height: HEIGHT, 'aria-hidden': 'true' }, this.time, this.both);
    this.state = element('span', { class: 'row-state' });
    this.node = element('div', { class: 'row-lock', tabindex: 0, role: 'group', 'data-lock': row.lock },
        element('div', { class: 'row-name' }, element('code', {}, row.lock), element('span', { class: 'what' }, row.what), this.state),
        this.svg);
    this.chosen = null;
    this.node.addEventListener('focus', () => this.choose(-1));
    this.node.addEventListener('keydown', event => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) { event.preventDefault(); this.choose(step); }
    });
    this.svg.addEventListener('pointerover', event => {
      const hold = this.holdOf(event.target.closest('g[data-id]')?.dataset.id);
      if (hold) plot.tell(hold);
    });
  }

  holdOf(id) {
    return id?.startsWith('hold ') ? this.plot.model.holds.get(id.slice(5)) : null;
  }

  /** Selects another hold of the row, beginning with the newest. */
  choose(step) {
    const mine = [...this.plot.model.holds.values()].filter(hold => hold.lock === this.lock).sort((a, b) => a.from - b.from);
    if (!mine.length) return;
    const at = mine.findIndex(hold => key(hold) === this.chosen);
    const next = mine[at < 0 ? mine.length - 1 : Math.min(mine.length - 1, Math.max(0, at + step))];
    this.chosen = key(next);
    this.plot.tell(next);
    this.plot.redraw();
  }

  draw(holds, now, shift) {
    const mine = holds.filter(hold => hold.lock === this.lock);
    const waits = [
      ...mine.filter(hold => hold.waited > 30).map(hold => ({ id: `got ${key(hold)}`, instance: hold.instance, from: hold.from - hold.waited, to: hold.from })),
      ...this.plot.model.refusals.filter(each => each.lock === this.lock).map(each => ({
        id: `refused ${each.instance.name} ${each.at}`, instance: each.instance, from: each.at - each.waited, to: each.at, refused: true, unavailable: each.unavailable })),
      ...this.plot.model.waiting().filter(each => each.lock === this.lock).map((each, n) => ({
        id: `waits ${n}`, instance: each.instance, from: each.at - each.millis, to: now })),
    ];
    change(this.time, { transform: shift });
    each(this.time, [...mine.map(hold => ({ id: `hold ${key(hold)}`, hold })), ...waits], item => item.id,
        item => item.hold ? this.bar(item.hold) : this.wait(item),
        (group, item) => item.hold ? this.updateBar(group, item.hold, now) : this.updateWait(group, item));
    change(this.both, { transform: shift });
    each(this.both, this.plot.model.spans.filter(span => span.lock === this.lock), span => span.from,
        () => drawing('rect', { class: 'both', y: WAITS - 2, height: BAR + 4 }),
        (rect, span) => change(rect, { x: this.plot.x(span.from), width: Math.max(4, this.plot.x(span.to) - this.plot.x(span.from)) }));
    const said = !this.plot.model.isKnown() ? 'unknown: Redis does not answer' : this.plot.model.holders(this.lock).map(hold => hold.leaseEnd !== null
        ? `${hold.instance.name}: lease ends in ${duration(Math.max(0, hold.leaseEnd - now))}`
        : hold.instance.name).join(', ') || 'free';
    text(this.state, said);
    change(this.node, { 'aria-label': `${this.lock}: ${said}. ${mine.length} holds in the last minute. Arrow keys step through them.` });
  }

  bar(hold) {
    const read = hold.kind === 'READ';
    const y = WAITS + (read ? hold.instance.index * THIRD : 0);
    const height = read ? THIRD - 1 : BAR;
    return drawing('g', { 'data-own': hold.instance.index, class: read ? 'reader' : 'holder' },
        drawing('rect', { class: 'lease', y, height }),
        drawing('rect', { class: 'hold', y, height, rx: 2 }),
        drawing('rect', { class: 'late', y, height }),
        drawing('path', { class: 'handed', d: `M-4 ${WAITS}h8l-4 6z` }),
        drawing('text', { class: 'letter', y: WAITS + BAR - 6 }, hold.instance.letter));
  }

  updateBar(group, hold, now) {
    const x = at => this.plot.x(at);
    const [lease, bar, late, handed, letter] = group.children;
    const end = hold.to ?? now;
    const good = Math.max(hold.from, Math.min(end, hold.over ?? end, hold.stopped ?? end));
    const wide = Math.max(3, x(good) - x(hold.from));
    const span = (from, to) => to > from ? { x: x(from), width: Math.max(1.5, x(to) - x(from)), visibility: null } : { visibility: 'hidden' };
    change(bar, { x: x(hold.from), width: wide, class: key(hold) === this.chosen ? 'hold chosen' : 'hold' });
    // The lease that Redis still keeps for a killed or paused holder, and the work of a holder without its lock.
    change(lease, span(good, Math.min(hold.stopped === null ? good : hold.leaseEnd, hold.over ?? Infinity)));
    change(late, span(hold.over ?? end, end));
    change(handed, { transform: `translate(${x(hold.from)} 0)`, visibility: hold.handedOver ? null : 'hidden' });
    // A job that takes milliseconds is shown as a mark with its instance's letter.
    const mark = hold.brief;
    change(letter, { x: x(hold.from) + (mark ? 6 : wide / 2), visibility: (wide > 14 || mark) && hold.kind !== 'READ' ? null : 'hidden',
      class: mark && wide <= 14 ? 'letter beside' : 'letter' });
  }

  wait(item) {
    const y = 2 + item.instance.index * 3;
    return drawing('g', { 'data-own': item.instance.index, class: 'wait' },
        drawing('line', { y1: y, y2: y }),
        drawing('path', { class: item.unavailable ? 'refused unavailable' : 'refused', d: `M-2.5 ${y - 2.5}l5 5m0 -5l-5 5`, visibility: item.refused ? null : 'hidden' }));
  }

  updateWait(group, item) {
    const [line, cross] = group.children;
    change(line, { x1: this.plot.x(item.from), x2: Math.max(this.plot.x(item.to), this.plot.x(item.from) + 1) });
    if (item.refused) change(cross, { transform: `translate(${this.plot.x(item.to)} 0)` });
  }
}
