const up = document.body.dataset.up;
const input = document.getElementById('search');
const results = document.getElementById('results');
const found = document.getElementById('found');

const MOST = 12;

// The start page and the pages of the manual itself. The laboratory and the pages for contributors come after them.
const FOR_USERS = /^(index|docs\/[^/]+)\.html$/;

// Sections with all words; if there is none, as for a pasted log line, those with at least half of them. Users' pages come first. Words in a heading
// count more than words in a text, and words in the order in which they were typed count most.
function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(word => word.length > 1);
  if (!words.length) return { sections: [], all: true };
  const ranked = SECTIONS.map(section => {
    const heading = (section[0] + ' ' + section[2]).toLowerCase();
    const body = section[4].toLowerCase();
    let rank = 10 * inOrder(words, heading + ' ' + body);
    let found = 0;
    for (const word of words) {
      const here = (heading.includes(word) ? 5 : 0) + (body.includes(word) ? 1 : 0);
      found += here ? 1 : 0;
      rank += here;
    }
    // An index leads to the answer, and is none.
    return { section, found, rank: section[1].endsWith('index.html') ? rank / 2 : rank, forUsers: FOR_USERS.test(section[1]) };
  });
  const all = ranked.some(each => each.found === words.length);
  const least = all ? words.length : Math.max(1, words.length / 2);
  const sections = ranked.filter(each => each.found >= least)
    .sort((one, other) => other.forUsers - one.forUsers || other.rank - one.rank).slice(0, MOST).map(each => each.section);
  return { sections, all };
}

// The number of words that the text has one after the other, from two on.
function inOrder(words, text) {
  for (let length = words.length; length > 1; length--) {
    for (let first = 0; first + length <= words.length; first++) {
      if (text.includes(words.slice(first, first + length).join(' '))) return length;
    }
  }
  return 0;
}

function show() {
  const { sections, all } = search(input.value);
  results.replaceChildren(...sections.map(([page, file, heading, anchor, text]) => {
    const link = document.createElement('a');
    link.href = up + file + (anchor ? '#' + anchor : '');
    link.textContent = heading === page ? page : page + ' › ' + heading;
    const start = document.createElement('span');
    start.textContent = text.trim().slice(0, 120);
    link.append(start);
    const item = document.createElement('li');
    item.append(link);
    return item;
  }));
  found.textContent = input.value.trim().length < 2 || (sections.length && all) ? ''
    : sections.length ? 'Nothing has all of these words. These have some of them' : 'Nothing has these words';
}

input.addEventListener('input', show);
document.addEventListener('keydown', event => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if (event.key === 'Escape') {
    input.value = '';
    show();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    const links = [...results.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement);
    if (links.length && (at >= 0 || document.activeElement === input)) {
      event.preventDefault();
      const next = at + (event.key === 'ArrowDown' ? 1 : -1);
      (links[next] || input).focus();
    }
  }
});

const select = document.getElementById('version');
const present = document.body.dataset.version;
if (typeof VERSIONS !== 'undefined') {
  select.replaceChildren(...VERSIONS.map(version => new Option(version, version, version === present, version === present)));
}
select.addEventListener('change', () => { location.href = up + '../' + select.value + '/index.html'; });

// On a phone, the content comes first.
if (matchMedia('(max-width: 52rem)').matches) document.querySelector('nav details').open = false;
