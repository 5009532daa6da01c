import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createDeflate } from 'node:zlib'

/** A PDF of one page with lines of text. */
export function pdfWith(lines: readonly string[], trailer = ''): Buffer {
  const shown = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`).join(' ')
  const content = `BT /F1 12 Tf 72 720 Td 14 TL ${shown} ET`
  return pdfOf(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`, trailer)
}

/** `contents`: the stream of the page. */
function pdfOf(contents: string, trailer = ''): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    contents,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, at) => {
    const offset = file.length
    file += `${at + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const end = `trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(`${file}xref\n0 ${size}\n0000000000 65535 f \n${entries}${end}`, 'latin1')
}

/** A page without text that unpacks to this many megabytes. */
export async function packedPdf(megabytes: number): Promise<Buffer> {
  const blank = Buffer.alloc(1_048_576, ' ')
  const packed = await buffer(Readable.from(Array.from({ length: megabytes }, () => blank)).pipe(createDeflate()))
  const stream = `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed.toString('latin1')}\nendstream`
  return pdfOf(stream)
}

/** Needs a password. */
export function encryptedPdf(): Buffer {
  const key = (byte: string) => `<${byte.repeat(32)}>`
  const encryption = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${key('00')} /U ${key('11')} /P -4 >> /ID [<00><00>]`
  return pdfWith(['Hidden'], encryption)
}
