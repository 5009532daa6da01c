import { isMap, isScalar, Lexer, LineCounter, Parser, parseDocument, stringify } from 'yaml'

export type Path = readonly (string | number)[]

/** A YAML or JSON text with the line of each field. */
export interface YamlSource {
  value: unknown
  lineOf(path: Path): number
  /** Of the name of a field; its value may begin on the next line. */
  lineOfName(path: Path): number
}

export class InvalidYaml extends Error {
  readonly line: number
  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

export const yamlText = (value: unknown): string => stringify(value)

/** The text with another item in the list of this name, which is created if it is missing. */
export function appendToList(text: string, name: string, item: unknown): string {
  const document = parseDocument(text)
  if (document.contents === null) return yamlText({ [name]: [item] })
  if (document.hasIn([name])) document.addIn([name], document.createNode(item))
  else document.set(name, document.createNode([item]))
  return document.toString()
}

const maxDepth = 100

/** The library calls itself for each level of the document; Node.js may abort once the stack is full. */
function requireDepth(text: string): void {
  const lines = new LineCounter()
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme))
    if (parser.stack.length > maxDepth)
      throw new InvalidYaml(lines.linePos(parser.offset).line, `nested deeper than ${maxDepth} levels`)
  }
}

export function parseYaml(text: string): YamlSource {
  requireDepth(text)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  const [error] = document.errors
  if (error) throw new InvalidYaml(lines.linePos(error.pos[0]).line, error.message)

  const nodeAt = (path: Path): unknown => (path.length === 0 ? document.contents : document.getIn(path, true))

  function lineOf(path: Path): number {
    const start = startOf(nodeAt(path))
    if (start !== undefined) return lines.linePos(start).line
    return path.length === 0 ? 1 : lineOf(path.slice(0, -1))
  }

  function lineOfName(path: Path): number {
    const [last, parent] = [path.at(-1), path.length === 0 ? undefined : nodeAt(path.slice(0, -1))]
    const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === last) : undefined
    const start = startOf(pair?.key)
    return start === undefined ? lineOf(path) : lines.linePos(start).line
  }

  return { value: madeFrom(() => document.toJS()), lineOf, lineOfName }
}

/** Unknown or excessive aliases are detected only when the value is created. */
function madeFrom(make: () => unknown): unknown {
  try {
    return make()
  } catch (error) {
    throw new InvalidYaml(1, error instanceof Error ? error.message : String(error))
  }
}

function startOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) return undefined
  const [start] = node.range
  return typeof start === 'number' ? start : undefined
}
