/** What a sample needs to know of an operation. */
export interface SampleRequest {
  method: string
  /** With the values of its path parameters. */
  url: string
  needsKey: boolean
  body: unknown
}

export interface CodeSample {
  language: 'sh' | 'js' | 'python' | 'php' | 'go'
  title: string
  code: string
}

/** The same request in the languages of most integrators, with nothing but their standard libraries. */
export const codeSamples = (request: SampleRequest): CodeSample[] => [
  { language: 'sh', title: 'curl', code: curl(request) },
  { language: 'js', title: 'JavaScript', code: javascript(request) },
  { language: 'python', title: 'Python', code: python(request) },
  { language: 'php', title: 'PHP', code: php(request) },
  { language: 'go', title: 'Go', code: go(request) },
]

export const pretty = (value: unknown) => JSON.stringify(value, null, 2)
const lines = (...parts: (string | false)[]) => parts.filter((part) => part !== false).join('\n')
const hasBody = ({ body }: SampleRequest) => body !== undefined

/** Single-quoted for the shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export function curl(request: SampleRequest): string {
  const { method, url, needsKey, body } = request
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...(needsKey ? ['-u "$API_ID:$API_TOKEN"'] : []),
    ...(hasBody(request) ? [`-H 'Content-Type: application/json'`, `-d ${quoted(pretty(body))}`] : []),
  ].join(' \\\n  ')
}

function javascript(request: SampleRequest): string {
  const { method, url, needsKey, body } = request
  const headers = [
    needsKey && "    authorization: 'Basic ' + btoa(env.API_ID + ':' + env.API_TOKEN),",
    hasBody(request) && "    'content-type': 'application/json',",
  ].filter(Boolean)
  const options = [
    method !== 'GET' && `  method: '${method}',`,
    headers.length > 0 && `  headers: {\n${headers.join('\n')}\n  },`,
    hasBody(request) && `  body: JSON.stringify(${indented(pretty(body), '  ')}),`,
  ].filter(Boolean)
  const call = options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''
  return lines(
    needsKey && "import { env } from 'node:process'\n",
    `const response = await fetch(${JSON.stringify(url)}${call})`,
    'console.log(response.status, await response.text())',
  )
}

function python(request: SampleRequest): string {
  const { method, url, needsKey, body } = request
  return lines(
    needsKey && 'import base64',
    hasBody(request) && 'import json',
    needsKey && 'import os',
    'import urllib.request',
    '',
    `request = urllib.request.Request(${JSON.stringify(url)}, method="${method}")`,
    needsKey && `key = f"{os.environ['API_ID']}:{os.environ['API_TOKEN']}"`,
    needsKey && 'request.add_header("Authorization", "Basic " + base64.b64encode(key.encode()).decode())',
    hasBody(request) && 'request.add_header("Content-Type", "application/json")',
    hasBody(request) && `request.data = json.dumps(${pythonValue(body, '')}).encode()`,
    'with urllib.request.urlopen(request) as response:',
    '    print(response.status, response.read().decode())',
  )
}

function pythonValue(value: unknown, margin: string): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return literal(value, margin, pythonValue, { list: ['[', ']'], map: ['{', '}'], arrow: ': ', text: JSON.stringify })
}

function php(request: SampleRequest): string {
  const { method, url, needsKey, body } = request
  return lines(
    `$request = curl_init(${phpText(url)});`,
    'curl_setopt_array($request, [',
    `    CURLOPT_CUSTOMREQUEST => '${method}',`,
    '    CURLOPT_RETURNTRANSFER => true,',
    needsKey && "    CURLOPT_USERPWD => getenv('API_ID') . ':' . getenv('API_TOKEN'),",
    hasBody(request) && "    CURLOPT_HTTPHEADER => ['Content-Type: application/json'],",
    hasBody(request) && `    CURLOPT_POSTFIELDS => json_encode(${phpValue(body, '    ')}),`,
    ']);',
    'echo curl_exec($request);',
  )
}

const phpText = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

function phpValue(value: unknown, margin: string): string {
  // An empty array would become a list.
  if (isEmptyObject(value)) return 'new stdClass()'
  return literal(value, margin, phpValue, { list: ['[', ']'], map: ['[', ']'], arrow: ' => ', text: phpText })
}

function go(request: SampleRequest): string {
  const { method, url, needsKey, body } = request
  return lines(
    'package main',
    '',
    'import (',
    '\t"fmt"',
    '\t"io"',
    '\t"log"',
    '\t"net/http"',
    needsKey && '\t"os"',
    hasBody(request) && '\t"strings"',
    ')',
    '',
    'func main() {',
    hasBody(request) && `\tbody := strings.NewReader(${goText(pretty(body))})`,
    `\trequest, err := http.NewRequest("${method}", ${JSON.stringify(url)}, ${hasBody(request) ? 'body' : 'nil'})`,
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    needsKey && '\trequest.SetBasicAuth(os.Getenv("API_ID"), os.Getenv("API_TOKEN"))',
    hasBody(request) && '\trequest.Header.Set("Content-Type", "application/json")',
    '\tresponse, err := http.DefaultClient.Do(request)',
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '\tdefer response.Body.Close()',
    '\ttext, err := io.ReadAll(response.Body)',
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '\tfmt.Println(response.Status, string(text))',
    '}',
  )
}

const goText = (text: string) => (text.includes('`') ? JSON.stringify(text) : `\`${text}\``)

interface Notation {
  list: [open: string, close: string]
  map: [open: string, close: string]
  arrow: string
  text(value: string): string
}

function literal(
  value: unknown,
  margin: string,
  inner: (value: unknown, margin: string) => string,
  { list, map, arrow, text }: Notation,
): string {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const deeper = `${margin}    `
  const [open, close] = Array.isArray(value) ? list : map
  const items = Array.isArray(value)
    ? value.map((item) => inner(item, deeper))
    : Object.entries(value).map(([key, item]) => text(key) + arrow + inner(item, deeper))
  if (items.length === 0) return open + close
  return `${open}\n${items.map((item) => `${deeper}${item},`).join('\n')}\n${margin}${close}`
}

const isEmptyObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0

const indented = (text: string, margin: string) => text.replaceAll('\n', `\n${margin}`)
