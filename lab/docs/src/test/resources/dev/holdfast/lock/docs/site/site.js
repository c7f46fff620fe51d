const up = document.body.dataset.up;
const input = document.getElementById('search');
const results = document.getElementById('results');
const found = document.getElementById('found');

// All sections with all words. Words in a heading count more than words in a text.
function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(word => word.length > 1);
  if (!words.length) return [];
  return SECTIONS.map(section => {
    const heading = (section[0] + ' ' + section[2]).toLowerCase();
    const body = section[4].toLowerCase();
    let rank = 0;
    for (const word of words) {
      const here = (heading.includes(word) ? 5 : 0) + (body.includes(word) ? 1 : 0);
      if (!here) return [0, section];
      rank += here;
    }
    return [section[1].includes('/lab/') || section[1].includes('/contributing/') ? rank / 2 : rank, section];
  }).filter(each => each[0] > 0).sort((a, b) => b[0] - a[0]).slice(0, 12).map(each => each[1]);
}

function show() {
  const sections = search(input.value);
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
  found.textContent = input.value.trim().length < 2 ? '' : sections.length ? '' : 'Nothing has all of these words';
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
