// Connects the parts of the page: the instances, their locks, and the buttons.

import { Model } from './model.js';
import { $, badge, change, clock, duration, each, element, text } from './dom.js';
import { Launcher, Streams, post } from './network.js';
import { Plot } from './plot.js';
import { Story } from './story.js';

const BUTTONS = [['hold', 'Hold 15 s'], ['pause', 'Pause'], ['kill', 'Kill'], ['start', 'Start']];

let model, plot, story, launcher;

function card(instance) {
  const state = element('span', { class: 'state' });
  const buttons = BUTTONS.map(([what, label]) => {
    const button = element('button', { type: 'button', 'data-act': what, 'aria-label': `${label}: ${instance.name}` }, label);
    button.addEventListener('click', () => act(instance, what));
    return button;
  });
  return element('li', { 'data-own': instance.index, 'data-instance': instance.name },
      element('h3', {}, badge(instance), ` ${instance.name} `, state), element('p', { class: 'holding' }),
      element('div', { class: 'row' }, ...buttons));
}

function act(instance, what) {
  if (what === 'hold') {
    model.tell(`${instance.name} is asked to hold stock:lamps for 15 seconds.`);
    return post(`${instance.url}/stock/lamps/count?time=15s`, model);
  }
  return launcher.order(`/instances/${instance.name}/${what}`);
}

function drawCards(now) {
  for (const instance of model.instances) {
    const item = document.querySelector(`[data-instance="${instance.name}"]`);
    change(item, { 'data-state': instance.state });
    text(item.querySelector('.state'), instance.state === 'unknown' ? 'connecting' : instance.state);
    const held = model.heldBy(instance);
    const words = held.map(hold => hold.leaseEnd === null ? hold.lock : `${hold.lock} in ${duration(Math.max(0, hold.leaseEnd - now))}`);
    const running = instance.state === 'running';
    const said = words.sort().join(', ');
    text(item.querySelector('.holding'), !model.isKnown() ? (instance.state === 'gone' ? '' : 'unknown: Redis does not answer')
        : running ? `holds ${said || 'nothing'}` : said && `${held.length > 1 ? 'leases end' : 'lease ends'}: ${said}`);
    for (const button of item.querySelectorAll('button')) {
      const what = button.dataset.act;
      button.hidden = what !== 'hold' && !launcher;
      const possible = what === 'start' ? instance.state === 'gone' : what === 'kill' ? instance.state !== 'gone' : instance.state === 'running';
      button.disabled = !possible || (what !== 'hold' && !launcher?.answers);
    }
  }
  text($('redis-state'), launcher?.redis === 'stopped' ? 'stopped' : model.isKnown() ? 'running' : 'does not answer');
  $('redis-switch').hidden = !launcher || launcher.redis === 'elsewhere';
  $('redis-switch').disabled = !launcher?.answers;
  text($('redis-switch'), launcher?.redis === 'stopped' ? 'Start Redis' : 'Stop Redis');
  $('launcher-silent').hidden = !launcher || launcher.answers;
}

function drawStrip() {
  const overlaps = model.overlaps.size;
  change($('strip'), { 'data-broken': overlaps > 0 });
  text($('overlaps'), `${overlaps} overlap${overlaps === 1 ? '' : 's'}`);
  text($('acquisitions'), model.acquisitions.toLocaleString('en-US'));
  text($('waiting'), String(model.waiting().length));
  text($('refused'), `${model.refusedWrites} stale write${model.refusedWrites === 1 ? '' : 's'}`);
  text($('longest'), duration(model.longestWait()));
}

function drawWrites() {
  each($('writes'), model.writes, write => `${write.at} ${write.token}`,
      write => element('li', {}, `${clock(write.at)} `, badge(write.instance), ` ${write.instance.name} `,
          element('span', { title: `Fencing token ${write.token}` }, `token ${model.number(write.lock, write.token)}`),
          write.accepted ? ' ▲ ' : ' ▼ ',
          element('span', { class: write.accepted ? 'good' : 'bad' },
              write.accepted ? 'written' : `refused${write.previous ? `, after ${model.number(write.lock, write.previous)}` : ''}`)),
      () => {});
  // The newest write is on top.
  const order = model.writes.map(write => `${write.at} ${write.token}`);
  [...$('writes').children].sort((a, b) => order.indexOf(a.dataset.id) - order.indexOf(b.dataset.id))
      .forEach((node, n) => { if ($('writes').children[n] !== node) $('writes').insertBefore(node, $('writes').children[n] ?? null); });
}

function drawNews() {
  for (const { at, text: said } of model.news.splice(0).sort((one, other) => one.at - other.at)) {
    const bad = said.startsWith('OVERLAP') ? 'bad' : '';
    $('news').prepend(element('p', { class: bad }, element('span', { class: 'label' }, `${clock(at)} `), said));
  }
  while ($('news').children.length > 40) $('news').lastChild.remove();
}

/** Draws all parts from one state of the model, at one moment, so that none contradicts another one. */
function draw() {
  const now = Date.now();
  model.pass(now);
  drawCards(now);
  drawStrip();
  drawWrites();
  drawNews();
  story?.update();
  plot.draw(now);
}

function animate() {
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  let last = 0;
  // A timer goes on in a hidden page, where the story goes on too.
  setInterval(() => {
    if (Date.now() - last < (calm.matches ? 1_000 : 80)) return;
    last = Date.now();
    draw();
  }, 80);
}

async function start() {
  const fleet = await (await fetch('fleet')).json();
  const members = fleet.instances.length ? fleet.instances : [{ name: fleet.instance, url: location.origin }];
  model = new Model(members, fleet.rows, fleet.leaseMillis);
  model.control = fleet.control;
  window.model = model; // For inspection in the browser's console.
  $('rule').textContent = 'Two holds of one lock overlap if Redis granted the later one while the earlier holder still worked: Redis’ own times are in the tokens. '
      + 'Or if a holder that ran says that it lost its lock after another one got it. An event that only arrives late is no overlap. Readers may share.';
  $('instances').replaceChildren(...model.instances.map(card));
  plot = new Plot(model, draw);
  if (fleet.control) {
    launcher = new Launcher(model, fleet.control === 'here' ? location.origin : fleet.control);
    story = new Story(model, launcher);
    $('redis-switch').addEventListener('click', () => launcher.order(`/redis/${launcher.redis === 'stopped' ? 'start' : 'stop'}`));
    await launcher.ask();
    setInterval(() => launcher.ask(), 500);
  } else {
    $('alone').hidden = false;
    $('story-part').hidden = true;
  }
  const streams = new Streams(model);
  streams.connect();
  setInterval(() => streams.connect(), 1_000);
  draw();
  animate();
}

start();
