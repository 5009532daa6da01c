import fc from 'fast-check'

// Hostile strings, values and bodies.

export const hostileStrings = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfffy',
  '\ufeff',
  '\u202eabc',
  '👩‍👩‍👧‍👦',
  `Z${'\u0300'.repeat(200)}`,
  'İıſß',
  '\r\nX-Evil: 1',
  "'; drop table x; --",
  '" or ""="',
  '%',
  '_',
  '\\',
  '{{7*7}}<%= 7*7 %>#{7*7}',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  '%2e%2e%2f',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  'null',
  'true',
  'NaN',
  'Infinity',
  '-0',
  '1e309',
  '0x10',
  '9007199254740993',
  '99999999999999999999999999',
  '2026-02-30',
  '24:00',
  'Europe/Nowhere',
  'a@b',
  'a@example.test\nbcc: x@example.test',
  `${'a'.repeat(300)}@example.test`,
  '+33180000001',
  '+٣٣١٨٠٠٠٠٠٠١',
  '＋３３１８０',
  'https://user:pass@example.com/',
  'https://[::1]:99999/',
  'http://169.254.169.254/',
  'javascript:alert(1)',
  'https://exa mple.com',
  'https://xn--\u0130/',
  'x'.repeat(10_000),
]

export const hostileValues: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e308,
  -0,
  2 ** 53,
  Number.MAX_SAFE_INTEGER,
  [],
  {},
  [[]],
  [null],
  [{}],
  { id: 1 },
  JSON.parse('{"__proto__":{"x":1},"constructor":1}'),
  Array(10_001).fill(1),
  Array(300).fill('user.created'),
  Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, i])),
]

const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`

/** Bodies as bytes, with a Content-Type. */
export const rawBodies: [body: string, type: string | undefined][] = [
  ['', 'application/json'],
  ['', undefined],
  ['null', 'application/json'],
  ['[]', 'application/json'],
  ['[1]', 'application/json'],
  ['"x"', 'application/json'],
  ['{', 'application/json'],
  ['{"a":1,}', 'application/json'],
  ['{"a":"\\ud800"}', 'application/json'],
  ['{"\\u0000":1}', 'application/json'],
  ['{"a":1e999}', 'application/json'],
  ['{"a":-}', 'application/json'],
  [deep(31), 'application/json'],
  [deep(40), 'application/json'],
  [deep(100_000), 'application/json'],
  ['\u0000', 'application/json'],
  ['a=1&b=2', 'application/x-www-form-urlencoded'],
  ['<a/>', 'application/xml'],
  ['{}', 'text/plain'],
  ['{}', 'application/problem+json'],
  ['{}', ';'],
  ['{}', ''],
  ['--x\r\n\r\n--x--', 'multipart/form-data; boundary=x'],
  [`{"a":"${'x'.repeat(1_048_570)}"}`, 'application/json'],
]

/** Any JSON, mostly unusual. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostileStrings) },
  { weight: 3, arbitrary: fc.constantFrom(...hostileValues) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
  { weight: 1, arbitrary: fc.double() },
)

interface Shape {
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, Shape>
  items?: Shape
  minimum?: number
  maximum?: number
  maxItems?: number
  examples?: unknown[]
}

// Created once: the table of graphemes behind it is large.
const someText = fc.string({ unit: 'grapheme', maxLength: 80 })

/** Approximately valid values for a schema. */
export function fitting(shape: Shape): fc.Arbitrary<unknown> {
  const [type, ...others] = Array.isArray(shape.type) ? shape.type : [shape.type]
  if (others.includes('null')) return fc.option(fitting({ ...shape, type: type ?? 'string' }))
  if (shape.enum) return fc.constantFrom(...shape.enum)
  if (shape.examples) return fc.constantFrom(...shape.examples)
  switch (type) {
    case 'object':
      return fc.record(
        mapped(shape.properties ?? {}, (inner) => mostly(fitting(inner))),
        { requiredKeys: [] },
      )
    case 'array':
      return fc.array(mostly(fitting(shape.items ?? {})), { maxLength: Math.min(shape.maxItems ?? 5, 25) })
    case 'integer':
    case 'number':
      return fc.integer({ min: shape.minimum ?? -10, max: Math.min(shape.maximum ?? 1_000, 100_000) })
    case 'boolean':
      return fc.boolean()
    case 'string':
      return someText
    default:
      return anything
  }
}

export const mostly = (good: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 4, arbitrary: good }, { weight: 1, arbitrary: anything })

export const mapped = <A, B>(of: Record<string, A>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value)]))

/** The value with its n-th element replaced: a valid document with one invalid value. */
export function spoilt(value: unknown, n: number, replacement: unknown): unknown {
  const places = countPlaces(value)
  let left = n % places
  const visit = (at: unknown): unknown => {
    if (left-- === 0) return replacement
    if (Array.isArray(at)) return at.map(visit)
    return typeof at === 'object' && at !== null ? mapped(at as Record<string, unknown>, visit) : at
  }
  return visit(value)
}

const countPlaces = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, inner) => sum + countPlaces(inner), 1)
    : 1
