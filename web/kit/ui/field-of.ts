import { ApiError } from '../api.ts'

// The API quotes the field that it rejects: `first_name`. Its input has that name, or a label with these words.

/** Names of the API that differ from the label. */
const labels: Record<string, readonly string[]> = {
  url: ['endpoint url', 'url'],
  custom_name: ['name'],
  digits: ['number', 'phone number'],
  value: ['phone number 1', 'email 1'],
  address: ['allowed source ips'],
  addresses: ['allowed source ips'],
  prefixes: ['allowed prefixes'],
  embed_origins: ['allowed websites'],
  redirect_uri: ['redirect url', 'redirect uri'],
  install_uri: ['install url', 'installation url'],
  logo_url: ['logo url', 'logo'],
  new_password: ['new password'],
  password: ['password', 'current password'],
  body: ['text', 'message'],
  waiting: ['hold music'],
  welcome: ['welcome message'],
  ringing_tone: ['ringback tone'],
  voicemail: ['voicemail greeting'],
  after_hours: ['after-hours greeting'],
}

/** The field that an error is about; undefined if it is about none, or about several. */
export function fieldOf(form: HTMLElement, error: unknown): HTMLElement | undefined {
  if (!(error instanceof ApiError) || (error.status !== 400 && error.status !== 422)) return undefined
  const named = new Set([...error.message.matchAll(/`(?:[a-z_]+\.)*([a-z_]+)`/g)].map(([, name]) => name))
  const [name] = named
  if (name === undefined || named.size > 1) return undefined
  return inputNamed(form, name) ?? inputLabelled(form, [...(labels[name] ?? []), name.replaceAll('_', ' ')])
}

const inputNamed = (form: HTMLElement, name: string) =>
  form.querySelector<HTMLElement>(`input[name="${name}"], textarea[name="${name}"], select[name="${name}"]`) ??
  undefined

function inputLabelled(form: HTMLElement, words: readonly string[]): HTMLElement | undefined {
  const all = [...form.querySelectorAll<HTMLLabelElement>('label[for]')]
  for (const wanted of words) {
    const label = all.find((one) => labelText(one) === wanted)
    const input = label && document.getElementById(label.htmlFor)
    if (input) return input
  }
  return undefined
}

/** Without the asterisk of a required field. */
const labelText = (label: HTMLLabelElement) =>
  (label.textContent ?? '')
    .replace(/\s*\*$/, '')
    .trim()
    .toLowerCase()
