/**
 * Browser script of the documentation: copy buttons, the menu on small screens, search, and "Try it". Plain JavaScript,
 * served as it is. Responses are inserted as text, never as HTML.
 */
export const script = `'use strict'
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
  const operations = all('.operation')
  const found = document.getElementById('found')
  const filter = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
    let count = 0
    for (const operation of operations) {
      const fits = words.every((word) => operation.dataset.find.includes(word))
      operation.hidden = !fits
      if (fits) count++
    }
    for (const item of all('[data-of]')) item.hidden = document.getElementById(item.dataset.of).hidden
    for (const group of all('.group')) {
      const own = all('.operation', group)
      group.hidden = words.length > 0 && !own.some((operation) => !operation.hidden)
    }
    for (const group of all('.in-group')) {
      const own = all('[data-of]', group)
      group.hidden = words.length > 0 && !own.some((item) => !item.hidden)
    }
    found.textContent = words.length === 0 ? '' : count + ' of ' + operations.length + ' operations'
  }
  search.addEventListener('input', filter)
  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest('input, textarea, select')
    if (event.key === '/' && !typing) { event.preventDefault(); search.focus() }
    if (event.key === 'Escape' && event.target === search) { search.value = ''; filter() }
  })
  addEventListener('hashchange', () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
    if (!target || !target.closest('[hidden]')) return
    search.value = ''
    filter()
    target.scrollIntoView()
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
