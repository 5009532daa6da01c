import { decodeText } from '../../src/lib/text-encoding.ts'
import { ApiError } from './api.ts'

/** A file on its way to the server. If the connection is lost, the error says that the upload has to be repeated. */
export async function uploading<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 0) throw error
    throw new ApiError(0, 'The upload was interrupted, and the file was not saved. Check your connection and retry.')
  }
}

/** Spreadsheets for Windows do not save UTF-8 unless asked to. */
export const textOf = async (file: File): Promise<string> => decodeText(new Uint8Array(await file.arrayBuffer()))
