import { searchScript } from './search-script.ts'

/**
 * Browser script of the documentation: copy buttons, the menu on small screens, search, and "Try it". Plain JavaScript,
 * served as it is. Responses are inserted as text, never as HTML.
 */
export const script = `'use strict'
${searchScript}
document.documentElement.classList.add('js')
const all = (selector, root = document) => [...root.querySelectorAll(selector)]
const make = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

function addCopyButton(block) {
  const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' })
  button.setAttribute('aria-label', 'Copy this ' + (block.dataset.language || 'text'))
  button.addEventListener('click', async () => {
    button.textContent = (await copy(block.querySelector('code').textContent)) ? 'Copied' : 'Press Ctrl+C'
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  })
  block.append(button)
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

all('.code').forEach(addCopyButton)

const menu = document.getElementById('menu')
const menuButton = document.querySelector('.menu-button')
const showMenu = (open) => {
  menu.classList.toggle('open', open)
  menuButton.setAttribute('aria-expanded', String(open))
}
menuButton.addEventListener('click', () => showMenu(!menu.classList.contains('open')))
menu.addEventListener('click', (event) => { if (event.target.closest('a')) showMenu(false) })
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !menu.classList.contains('open')) return
  showMenu(false)
  menuButton.focus()
})

const search = document.getElementById('search')
if (search) {
  const operations = all('[data-find]')
  const found = document.getElementById('found')
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
    for (const operation of operations) operation.hidden = !words.every((word) => operation.dataset.find.includes(word))
    for (const group of all('.group')) group.hidden = all('[data-find]', group).every((operation) => operation.hidden)
    const count = operations.filter((operation) => !operation.hidden).length
    found.textContent = words.length === 0 ? '' : count + ' of ' + operations.length + ' operations'
  })
}

const find = document.getElementById('find')
const finds = document.getElementById('finds')
let index
const loadIndex = () => {
  index ??= fetch(document.body.dataset.root + '/docs/search.json').then((response) => response.json())
  return index
}
const maxFinds = 12

function excerpt(text, words) {
  const at = Math.max(0, ...words.map((word) => text.toLowerCase().indexOf(word)))
  const from = at < 60 ? 0 : text.indexOf(' ', at - 50) + 1
  return (from > 0 ? '… ' : '') + text.slice(from, from + 140) + (text.length > from + 140 ? ' …' : '')
}

async function showFinds() {
  const asked = find.value
  if (asked.trim() === '') { finds.hidden = true; return }
  const entries = await loadIndex()
  if (find.value !== asked) return
  const { found, words } = ranked(entries, asked)
  const isCorrected = words.join(' ') !== wordsIn(asked).join(' ')
  const count = found.length + (found.length === 1 ? ' result' : ' results') + (isCorrected ? ' for “' + words.join(' ') + '”' : '')
  finds.querySelector('p').textContent = found.length === 0 ? 'No results' : count
  finds.querySelector('ol').replaceChildren(...found.slice(0, maxFinds).map((entry) => {
    const link = make('a', { href: document.body.dataset.root + entry.at },
      make('strong', { textContent: entry.title }), make('small', { textContent: entry.title === entry.page ? '' : entry.page }),
      make('span', { textContent: excerpt(entry.text, words) }))
    return make('li', {}, link)
  }))
  finds.hidden = false
}

find.addEventListener('focus', () => void loadIndex(), { once: true })
find.addEventListener('input', () => void showFinds())
document.addEventListener('click', (event) => { if (!event.target.closest('.find, #finds a')) finds.hidden = true })
finds.addEventListener('click', (event) => { if (event.target.closest('a')) finds.hidden = true })
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest('input, textarea, select')
  if (event.key === '/' && !typing) { event.preventDefault(); find.focus() }
  if (event.key === 'Escape' && event.target.closest('.find')) { finds.hidden = true; find.focus() }
  if ((event.key !== 'ArrowDown' && event.key !== 'ArrowUp') || !event.target.closest('.find') || finds.hidden) return
  event.preventDefault()
  const stops = [find, ...all('a', finds)]
  const next = stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)
  stops[Math.min(Math.max(next, 0), stops.length - 1)].focus()
})

const chooseTab = (language) => {
  for (const tab of all('[data-tab]')) {
    const chosen = tab.dataset.tab === language
    tab.setAttribute('aria-selected', String(chosen))
    tab.tabIndex = chosen ? 0 : -1
  }
  for (const panel of all('[data-panel]')) panel.hidden = panel.dataset.panel !== language
}
const keepTab = (tab) => {
  const before = tab.getBoundingClientRect().top
  chooseTab(tab.dataset.tab)
  scrollBy(0, tab.getBoundingClientRect().top - before)
  tab.focus({ preventScroll: true })
}
for (const tab of all('[data-tab]')) {
  tab.addEventListener('click', () => keepTab(tab))
  tab.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    const tabs = all('[data-tab]', tab.parentElement)
    keepTab(tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length])
  })
}
const links = new Map(all('nav a[href^="#"]').map((link) => [link.hash.slice(1), link]))
if (links.size > 0) {
  const mark = (id) => {
    for (const link of links.values()) link.removeAttribute('aria-current')
    links.get(id).setAttribute('aria-current', 'location')
  }
  const seen = new IntersectionObserver((entries) => {
    const entry = entries.find((one) => one.isIntersecting)
    if (entry) mark(entry.target.id)
  }, { rootMargin: '-80px 0px -75% 0px' })
  for (const id of links.keys()) seen.observe(document.getElementById(id))
}

const key = document.getElementById('key')
for (const details of all('.try')) {
  details.addEventListener('toggle', () => {
    const form = details.querySelector('form')
    if (details.open && form.dataset.open !== 'true') form.querySelector('.key-place').append(key)
  })
}
for (const form of all('.try form')) form.addEventListener('submit', (event) => { event.preventDefault(); void send(form) })

function requestOf(form) {
  let path = form.dataset.path
  const query = new URLSearchParams()
  for (const field of all('[data-in]', form)) {
    if (field.dataset.in === 'path') path = path.replace(':' + field.name, encodeURIComponent(field.value))
    else if (field.value !== '') query.append(field.name, field.value)
  }
  const headers = {}
  const id = document.getElementById('api_id').value.trim()
  const token = document.getElementById('api_token').value.trim()
  if (form.dataset.open !== 'true' && id !== '') headers.authorization = 'Basic ' + btoa(id + ':' + token)
  const body = form.elements.body
  if (body) headers['content-type'] = 'application/json'
  const search = query.size > 0 ? '?' + query : ''
  return {
    url: document.body.dataset.root + path + search,
    options: { method: form.dataset.method, headers, credentials: 'omit', cache: 'no-store', ...(body && { body: body.value }) },
  }
}

async function send(form) {
  const button = form.querySelector('.send')
  const outcome = form.querySelector('.outcome')
  button.disabled = true
  try {
    const { url, options } = requestOf(form)
    show(outcome, await fetch(url, options))
  } catch {
    outcome.replaceChildren(make('p', { className: 'status bad', textContent: 'The request failed. Check that the server is running and that the API key contains only ASCII characters.' }))
  } finally {
    button.disabled = false
  }
}

const shownHeaders = /-(limit|remaining|reset)$|^(retry-after|x-request-id|deprecation|sunset)$/

async function show(outcome, response) {
  const text = await response.text()
  const status = make('p', { className: 'status ' + (response.ok ? 'good' : 'bad'), textContent: response.status + ' ' + response.statusText })
  const headers = make('dl', {})
  for (const [name, value] of response.headers) {
    if (shownHeaders.test(name)) headers.append(make('dt', { textContent: name }), make('dd', { textContent: value }))
  }
  outcome.replaceChildren(status, headers)
  if (text === '') return
  const block = make('div', { className: 'code' }, make('pre', { tabIndex: 0 }, make('code', { textContent: pretty(text) })))
  outcome.append(block)
  addCopyButton(block)
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
`
