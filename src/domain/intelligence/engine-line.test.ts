import { expect, test } from 'vitest'
import { type EngineKind, isExternal, readEngineLine, writeEngineLine } from './engine-line.ts'

const problem = (kind: EngineKind, text: string) => {
  const read = readEngineLine(kind, text)
  return 'problem' in read ? read.problem : undefined
}
const line = (kind: EngineKind, text: string) => {
  const read = readEngineLine(kind, text)
  if ('problem' in read) throw new Error(read.problem)
  return read.line
}

test('a line names a dialect, an address, a model and options', () => {
  expect(line('stt', 'openai+http://gpu:8000/v1/#Systran/faster-whisper-large-v3')).toEqual({
    kind: 'openai',
    url: 'http://gpu:8000/v1',
    model: 'Systran/faster-whisper-large-v3',
    options: {},
  })
  expect(line('llm', 'openai+http://ollama:11434/v1#qwen3:8b?evaluation=qwen3:32b&timeout=120')).toEqual({
    kind: 'openai',
    url: 'http://ollama:11434/v1',
    model: 'qwen3:8b',
    options: { evaluation: 'qwen3:32b', timeout: '120' },
  })
  expect(line('tts', 'jambonz+https://speech.example/tts?voice=anna')).toMatchObject({
    url: 'https://speech.example/tts',
    model: '',
    options: { voice: 'anna' },
  })
})

test('each kind can be off, and two of them are built in', () => {
  for (const kind of ['stt', 'llm', 'tts'] as const) expect(line(kind, 'off')).toEqual({ kind: 'off' })
  expect(line('stt', 'embedded?model=small')).toEqual({ kind: 'embedded', options: { model: 'small' } })
  expect(line('tts', 'embedded')).toEqual({ kind: 'embedded', options: {} })
  expect(problem('llm', 'embedded')).toContain('nothing of this kind is built in')
})

test('what is wrong is said so that one can mend it', () => {
  expect(problem('llm', 'gpt')).toBe('must be off, or openai+https://host/path#model')
  expect(problem('stt', 'whisper+http://gpu')).toBe(
    'must be off, or embedded, or openai+https://host/path#model, or deepgram+https://host/path#model, or jambonz+wss://host/path',
  )
  expect(problem('llm', 'openai+http://gpu/v1')).toBe('needs a model behind the address: openai+http://gpu/v1#model')
  expect(problem('llm', 'openai+gpu/v1#m')).toBe('needs an address that begins with http:// or https://')
  expect(problem('llm', 'openai+http://me:secret@gpu/v1#m')).toContain('the key has a place of its own')
  expect(problem('llm', 'openai+http://gpu/v1#m?voice=x')).toContain('not voice')
  expect(problem('tts', 'openai+http://gpu/v1#m?rate=fast')).toBe('needs a number from 8000 to 48000 for rate')
  expect(problem('stt', 'embedded?model=huge')).toBe('needs one of base, small for model')
  expect(problem('stt', 'jambonz+wss://gpu/stt#m')).toBe('knows no model for jambonz; leave out #m')
})

test('a line that was read is written as it was', () => {
  const texts: [EngineKind, string][] = [
    ['stt', 'embedded?model=small'],
    ['llm', 'openai+http://ollama:11434/v1#qwen3?timeout=120'],
    ['stt', 'jambonz+wss://gpu/stt'],
    ['tts', 'off'],
  ]
  for (const [kind, text] of texts) expect(writeEngineLine(line(kind, text))).toBe(text)
  expect(texts.map(([kind, text]) => isExternal(line(kind, text)))).toEqual([false, true, true, false])
})
