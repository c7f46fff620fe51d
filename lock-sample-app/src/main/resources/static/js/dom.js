// Helpers that create elements and change them only if their content differs, so that focus, hover and layout stay.

export const $ = id => document.getElementById(id);

export function element(name, attributes = {}, ...content) {
  return fill(document.createElement(name), attributes, content);
}

export function drawing(name, attributes = {}, ...content) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, content);
}

function fill(made, attributes, content) {
  change(made, attributes);
  made.append(...content);
  return made;
}

/** Sets the attributes that differ. A null value removes its attribute. */
export function change(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) node.removeAttribute(name);
    else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
  }
}

export function text(node, value) {
  if (node.textContent !== value) node.textContent = value;
}

/** Keeps one child for each item. Creates children of new items, removes children of missing items, and updates all. */
export function each(parent, items, idOf, make, update) {
  const present = new Map([...parent.children].map(child => [child.dataset.id, child]));
  for (const item of items) {
    const id = String(idOf(item));
    let child = present.get(id);
    present.delete(id);
    if (!child) {
      child = make(item);
      child.dataset.id = id;
      parent.append(child);
    }
    update(child, item);
  }
  for (const gone of present.values()) gone.remove();
}

export const clock = at => new Date(at).toLocaleTimeString('en-GB');

export const duration = millis => millis < 1000 ? `${Math.round(millis)} ms` : `${(millis / 1000).toFixed(1)} s`;

export const badge = instance =>
  element('span', { class: 'badge', 'data-own': instance.index, 'aria-hidden': 'true' }, instance.letter);
