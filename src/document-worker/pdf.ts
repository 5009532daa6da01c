import { getDocumentProxy } from 'unpdf'
import type { ExtractionResponse } from './protocol.ts'

/** Text of a PDF, page by page; images of text have none. */
export async function textOfPdf(bytes: Uint8Array, maxLength: number): Promise<ExtractionResponse> {
  try {
    // Scripts and fonts of the document are not evaluated.
    const document = await getDocumentProxy(new Uint8Array(bytes), { isEvalSupported: false, verbosity: 0 })
    let text = ''
    for (let number = 1; number <= document.numPages; number++) {
      const { items } = await (await document.getPage(number)).getTextContent()
      for (const item of items) if ('str' in item) text += item.hasEOL ? `${item.str}\n` : item.str
      text += '\n\n'
      if (text.length > maxLength) return { problem: 'too_long' }
    }
    return { text, title: null }
  } catch (error) {
    return { problem: error instanceof Error && error.name === 'PasswordException' ? 'encrypted' : 'broken' }
  }
}
