export interface ExtractionRequest {
  format: 'html' | 'pdf'
  bytes: Uint8Array
  /** Extraction ends with a problem once the text is longer. */
  maxLength: number
}

export type ExtractionProblem = 'encrypted' | 'broken' | 'too_long' | 'no_text'

export type ExtractionResponse = { text: string; title: string | null } | { problem: ExtractionProblem }
