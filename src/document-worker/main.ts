// A worker thread that extracts the text of one document and ends. A document is written by strangers: a thread can be
// ended when it takes too long, and has a memory limit of its own. lib/document-text.ts starts it.
import { parentPort } from 'node:worker_threads'
import { textOfHtml } from './html.ts'
import { textOfPdf } from './pdf.ts'
import type { ExtractionRequest, ExtractionResponse } from './protocol.ts'

parentPort?.once('message', async ({ format, bytes, maxLength }: ExtractionRequest) => {
  const result = format === 'pdf' ? await textOfPdf(bytes, maxLength) : textOfHtml(bytes, maxLength)
  const response: ExtractionResponse =
    'problem' in result || result.text.trim() !== '' ? result : { problem: 'no_text' }
  parentPort?.postMessage(response)
})
