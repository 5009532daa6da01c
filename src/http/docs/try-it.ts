import type { Parameter } from '../openapi.ts'
import { pretty } from './code-samples.ts'
import { escapeHtml as e } from './html-text.ts'
import type { OperationEntry } from './reference.ts'

/** A form that sends the request to this server. It needs script.ts and is hidden without it. */
export function tryIt(entry: OperationEntry): string {
  const { id, method, path, parameters, body } = entry
  const changes = method !== 'GET'
  const note = changes ? '<p class="careful">This request changes data of the company that owns the API key.</p>' : ''
  const text =
    body === undefined
      ? ''
      : `<label for="${id}-body">Body</label><textarea id="${id}-body" name="body" rows="${rowsOf(body)}" spellcheck="false">${e(pretty(body))}</textarea>`
  const mark = changes ? ' <span class="flag">changes data</span>' : ''
  return `<details class="try"><summary>Try it${mark}</summary>
<form data-method="${method}" data-path="${e(path)}" data-open="${entry.access === 'open'}" autocomplete="off">
<div class="key-place"></div>
${parameters.map((parameter) => input(id, parameter)).join('\n')}
${text}
${note}<button type="submit" class="send${changes ? ' changes' : ''}">Send ${method}</button>
<div class="outcome" role="status" aria-live="polite"></div>
</form></details>`
}

const rowsOf = (body: unknown) => Math.min(16, pretty(body).split('\n').length + 1)

function input(operation: string, { name, in: place, required, schema, example }: Parameter): string {
  const id = `${operation}-${place}-${name}`
  const named = `id="${e(id)}" name="${e(name)}" data-in="${place}"`
  const label = `<label for="${e(id)}"><code>${e(name)}</code>${required ? '' : ' <span class="optional">optional</span>'}</label>`
  if (schema.enum) {
    const options = ['', ...schema.enum].map((word) => `<option>${e(String(word))}</option>`)
    return `${label}<select ${named}>${options.join('')}</select>`
  }
  const value = example === undefined ? '' : ` value="${e(String(example))}"`
  const hint = schema.default === undefined ? '' : ` placeholder="${e(String(schema.default))}"`
  return `${label}<input ${named}${value}${hint}${required ? ' required' : ''} spellcheck="false">`
}

/** One set of fields; the script moves it into the form that was opened last. */
export const keyFields = `<fieldset class="key" id="key"><legend>API key</legend>
<label for="api_id"><code>api_id</code></label><input id="api_id" autocomplete="off" spellcheck="false" autocapitalize="none">
<label for="api_token"><code>api_token</code></label><input id="api_token" type="password" autocomplete="off" spellcheck="false">
<p class="hint">Kept in memory until you close or reload this tab; never stored.</p></fieldset>`
