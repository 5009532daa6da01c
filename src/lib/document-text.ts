import type { ExtractionRequest, ExtractionResponse } from '../document-worker/protocol.ts'
import { type Clock, second } from './clock.ts'
import { every } from './every.ts'
import { limitConcurrency, Overloaded } from './limit-concurrency.ts'
import { startProgramThread } from './program-file.ts'
import { decodeText } from './text-encoding.ts'

// Text of documents that users upload or link.

export const documentFormats = ['text', 'markdown', 'html', 'pdf'] as const
export type DocumentFormat = (typeof documentFormats)[number]

export type DocumentText = { text: string; title: string | null } | { problem: string }

const timeoutMs = 20 * second
const maxMemoryMb = 256
/** What a PDF unpacks to is outside of the heap of the thread: 5 MB can become gigabytes. */
const maxGrowthMb = 400
const memoryCheckMs = 50
const inTurn = limitConcurrency(1, 20)

export interface DocumentTextOptions {
  clock: Pick<Clock, 'machineAfter'>
  maxLength: number
  /** By which the memory of the process may grow meanwhile. */
  maxGrowthMb?: number
}

/** A problem is a sentence for the user. */
export async function extractedText(
  bytes: Uint8Array,
  format: DocumentFormat,
  { clock, maxLength, maxGrowthMb: growthMb = maxGrowthMb }: DocumentTextOptions,
): Promise<DocumentText> {
  const tooLong = `The document has more than ${maxLength.toLocaleString('en-US')} characters of text. Split it into smaller ones.`
  if (format === 'text' || format === 'markdown') {
    const text = plainText(bytes)
    if (text === undefined) return { problem: 'The file is not text. Upload text, Markdown, HTML or PDF.' }
    if (text.length > maxLength) return { problem: tooLong }
    return text.trim() === '' ? { problem: problems.no_text } : { text, title: null }
  }
  try {
    const result = await inTurn(() => extracted(clock, growthMb, { format, bytes, maxLength }))
    if (!('problem' in result)) return { ...result, text: result.text.replaceAll('\0', '') }
    return { problem: result.problem === 'too_long' ? tooLong : problems[result.problem] }
  } catch (error) {
    if (error instanceof Overloaded) return { problem: 'Too many documents are being read. Try again in a minute.' }
    throw error
  }
}

const problems = {
  encrypted: 'The PDF is encrypted. Remove its password and upload it again.',
  broken: 'The document is damaged and cannot be read.',
  no_text: 'The document contains no text. Scanned pages need text recognition (OCR) first.',
  timeout: `Reading the document took more than ${timeoutMs / second} seconds. Split it into smaller ones.`,
  failed: 'The document cannot be read: it needs too much memory.',
}

type Extracted = ExtractionResponse | { problem: 'timeout' | 'failed' }

function extracted(
  clock: Pick<Clock, 'machineAfter'>,
  growthMb: number,
  request: ExtractionRequest,
): Promise<Extracted> {
  let lowest = process.memoryUsage.rss()
  return new Promise((resolve) => {
    const thread = startProgramThread('document-worker', {
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
      stdout: true,
      stderr: true,
    })
    const finish = (result: Extracted) => {
      cancel()
      stopChecks()
      resolve(result)
      void thread.terminate()
    }
    const cancel = clock.machineAfter(timeoutMs, () => finish({ problem: 'timeout' }))
    const stopChecks = every(clock, memoryCheckMs, () => {
      const now = process.memoryUsage.rss()
      lowest = Math.min(lowest, now)
      if (now - lowest > growthMb * 1_048_576) finish({ problem: 'failed' })
    })
    thread.once('message', finish)
    thread.once('error', () => finish({ problem: 'failed' }))
    thread.once('exit', () => finish({ problem: 'failed' }))
    thread.postMessage(request)
  })
}

/** Undefined for binary content. */
function plainText(bytes: Uint8Array): string | undefined {
  const text = decodeText(bytes)
  const isBinary = /\p{Cc}/u.test(text.replace(/[\t\n\r\f]/g, ''))
  return isBinary ? undefined : text.replace(/\r\n?/g, '\n')
}
