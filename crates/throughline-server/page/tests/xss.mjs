// Two hundred strings that would run, or change the page, if stored text were ever taken for HTML.

const CALL = 'window.__ran=1';

const ELEMENTS = [
  `<script>${CALL}</script>`,
  `<img src=x onerror=${CALL}>`,
  `<svg onload=${CALL}>`,
  `<svg><script>${CALL}</script></svg>`,
  `<svg><animate onbegin=${CALL} attributeName=x dur=1s>`,
  `<svg><a xlink:href="javascript:${CALL}"><text y=20>x</text></a></svg>`,
  `<math><mtext><mglyph><style><img src=x onerror=${CALL}></style></mglyph></mtext></math>`,
  `<iframe srcdoc="<script>parent.__ran=1</script>"></iframe>`,
  `<iframe src="javascript:parent.__ran=1"></iframe>`,
  `<object data="javascript:${CALL}"></object>`,
  `<embed src="javascript:${CALL}">`,
  `<body onload=${CALL}>`,
  `<video><source onerror=${CALL}></video>`,
  `<audio src=x onerror=${CALL}>`,
  `<details open ontoggle=${CALL}>x</details>`,
  `<input autofocus onfocus=${CALL}>`,
  `<select autofocus onfocus=${CALL}></select>`,
  `<textarea autofocus onfocus=${CALL}></textarea>`,
  `<marquee onstart=${CALL}>x</marquee>`,
  `<a href="javascript:${CALL}">click</a>`,
  `<form action="javascript:${CALL}"><button>go</button></form>`,
  `<button formaction="javascript:${CALL}">go</button>`,
  `<base href="javascript:/a/">`,
  `<link rel=stylesheet href="data:text/css,*{display:none}">`,
  `<style>*{display:none}</style>`,
  `<meta http-equiv=refresh content="0;url=javascript:${CALL}">`,
  `<div style="background:url(javascript:${CALL})">x</div>`,
  `<p onclick=${CALL} style="position:fixed;inset:0">x</p>`,
  `<template><script>${CALL}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${CALL}>">`,
];

const WRAPPED = ['"', "'", '`', '</title>', '</textarea>', '</style>', '</script>', '-->', ']]>', '"/>', "'/>", '\\";', '${', '{{', '*/'];

const FORMS = [
  (text) => text,
  (text) => text.toUpperCase().replaceAll('WINDOW.__RAN', 'window.__ran'),
  (text) => text.replaceAll('<', '<\t').replace('<\t', '<'),
  (text) => text.replaceAll(' ', '/'),
  (text) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  (text) => text.replaceAll('<', '\u003c').replaceAll('on', 'on\u200b'),
  (text) => `"><${text.slice(1)}<!--`,
];

const PLAIN = [
  'javascript:window.__ran=1',
  'data:text/html,<script>window.__ran=1</script>',
  'constructor.constructor("window.__ran=1")()',
  '__proto__', 'constructor', 'prototype', 'toString', 'dangerouslySetInnerHTML',
  '{"__html":"<img src=x onerror=window.__ran=1>"}',
  '{"type":"script","props":{"dangerouslySetInnerHTML":{"__html":"window.__ran=1"}}}',
  '\u202egnp.exe', '\u0000<b>', '%3Cscript%3Ewindow.__ran=1%3C/script%3E', '&#60;script&#62;', '\\u003cscript\\u003e',
  '<!--[if gte IE 4]><script>window.__ran=1</script><![endif]-->', '<?xml-stylesheet href="javascript:1"?>', '<![CDATA[<script>]]>',
];

/** Exactly 200 different strings. */
export function corpus() {
  const all = new Set(PLAIN);
  for (const form of FORMS) for (const element of ELEMENTS) all.add(form(element));
  for (const close of WRAPPED) all.add(`${close}<img src=x onerror=${CALL}>`);
  return [...all].map((one) => one.replaceAll('\u0000', '')).filter((one, at, list) => list.indexOf(one) === at).slice(0, 200);
}

/** Looks through the document for anything that stored text could have made. Runs in the browser. */
export function intruders() {
  const found = [];
  if (window.__ran) found.push('a script ran');
  for (const name of ['iframe', 'object', 'embed', 'base', 'video', 'audio', 'marquee', 'math', 'template', 'style', 'font', 'b', 'body body']) {
    for (const one of document.querySelectorAll(name)) found.push(one.outerHTML.slice(0, 120));
  }
  const scripts = document.querySelectorAll('script');
  if (scripts.length !== 1) found.push(`${scripts.length} scripts`);
  for (const one of document.querySelectorAll('*')) {
    for (const attribute of one.attributes) {
      if (attribute.name.startsWith('on') || attribute.name === 'srcdoc' || /^\s*javascript:/i.test(attribute.value)) {
        if (attribute.name !== 'value') found.push(one.outerHTML.slice(0, 120));
      }
    }
    if (one.tagName === 'IMG' && one.getAttribute('src') !== '/icon.svg') found.push(one.outerHTML.slice(0, 120));
  }
  return found;
}
