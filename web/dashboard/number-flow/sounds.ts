import { useQuery } from '@tanstack/react-query'
import { api, type ResponseOf } from '../../kit/api.ts'
import { uploading } from '../../kit/upload.ts'

export type AudioFile = ResponseOf<'/v1/sounds'>['sounds'][number]

export const soundsKey = ['sounds']

/** Polls while a file is still being downloaded. */
export const useSounds = () =>
  useQuery({
    queryKey: soundsKey,
    queryFn: async () => (await api.get('/v1/sounds')).sounds,
    refetchInterval: ({ state }) => (state.data?.some((sound) => sound.state === 'waiting') ? 3_000 : false),
  })

/** The name of a prompt of the library; of any other URL the file name. */
export function soundName(sounds: readonly Pick<AudioFile, 'url' | 'name'>[] | undefined, url: string): string {
  const name = sounds?.find((sound) => sound.url === url)?.name
  if (name) return `“${name}”`
  const file = (url.split(/[?#]/)[0] ?? '').split('/').at(-1) || url
  try {
    return decodeURIComponent(file)
  } catch {
    return file
  }
}

export const audioLength = ({ seconds }: AudioFile) => {
  const whole = Math.max(1, Math.round(seconds ?? 0))
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`
}

export const maxBytes = 700_000

export async function uploadSound(file: Blob, name: string): Promise<AudioFile> {
  if (file.size > maxBytes) {
    throw new Error(
      `The file is larger than ${maxBytes / 1_000} kB. Convert it to MP3 or Ogg, or enter its URL instead`,
    )
  }
  const body = { name: name.slice(0, 255), data: await base64Of(file) }
  return (await uploading(api.post('/v1/sounds/uploads', { body }))).sound
}

/** The last segment of the URL is the id. */
const idOf = ({ url }: AudioFile) => url.slice(url.lastIndexOf('/') + 1)

export const deleteSound = (sound: AudioFile) => api.delete('/v1/sounds/uploads/{id}', { params: { id: idOf(sound) } })

export const renameSound = (sound: AudioFile, name: string) =>
  api.put('/v1/sounds/uploads/{id}', { params: { id: idOf(sound) }, body: { name } })

async function base64Of(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  // In chunks: the number of arguments per call is limited.
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return btoa(text)
}
