import type { OggVorbisDecodedAudio } from '@wasm-audio-decoders/ogg-vorbis'

/** The fields of a page that the decoder uses; pages are read by our own Ogg reader. */
interface Page {
  data: Uint8Array
  codecFrames: { header: { vorbisSetup: Uint8Array }; data: Uint8Array }[]
  isLastPage: boolean
}

type DecodePages = (pages: Page[]) => Promise<OggVorbisDecodedAudio>

export interface VorbisDecoder {
  decode(packets: readonly Uint8Array[]): Promise<readonly Float32Array[]>
  free(): void
}

/** `head` and `setup` are the first and the third packet of the stream. */
export async function openVorbis(head: Uint8Array, setup: Uint8Array): Promise<VorbisDecoder> {
  // On first use: most processes never decode.
  const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis')
  const decoder = new OggVorbisDecoder()
  await decoder.ready
  // Its types require complete pages; it uses only these fields.
  const decodePages = decoder.decodeOggPages.bind(decoder) as unknown as DecodePages
  let first: Page[] = [{ data: head, codecFrames: [], isLastPage: false }]
  return {
    async decode(packets) {
      const codecFrames = packets.map((data) => ({ header: { vorbisSetup: setup }, data }))
      const pages = [...first, { data: new Uint8Array(), codecFrames, isLastPage: false }]
      first = []
      return (await decodePages(pages)).channelData
    },
    free: () => decoder.free(),
  }
}
