import { type Static, Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, nullable, oneOf, text } from '../../../http/schemas.ts'
import { randomId } from '../../../lib/secrets.ts'
import { audioTypeOf, toUlaw8k } from '../../../media/to-ulaw.ts'
import type { Services } from '../../../services.ts'
import { actorOf, audit } from '../../accounts/index.ts'
import { unplayable } from './fetch.ts'
import { uploadKey, uploadUrl } from './links.ts'
import { fetchSound, prepareSounds } from './prepare.ts'
import { readSpeech, synthesizeSpeech } from './speech.ts'
import {
  countUploads,
  deleteUpload,
  findSound,
  insertUpload,
  renameUpload,
  type SoundUse,
  soundsOf,
  usesOfUploads,
} from './store.ts'
import { SoundView, soundView } from './view.ts'

// Audio of the company's numbers. Under /app only: integrations set URLs, the dashboard shows the result.

const tag = 'Sounds'
const maxShown = 500
const maxUploads = 200
// Encoded as base64 it fits into a request body.
const maxBytes = 700_000
const OneSound = Type.Object({ sound: SoundView })

const listSounds = route({
  method: 'GET',
  path: '/v1/sounds',
  summary: 'List the audio files of Numbers with their download state',
  tag,
  access: 'app',
  reply: { status: 200, body: Type.Object({ sounds: Type.Array(SoundView) }) },
  async handle({ caller, services }) {
    return { sounds: (await soundsOf(services.db, caller.companyId, maxShown)).map(soundView) }
  },
})

const listUses = route({
  method: 'GET',
  path: '/v1/sounds/uses',
  summary: 'List where uploaded audio files are used',
  tag,
  access: 'app',
  reply: {
    status: 200,
    body: Type.Object({
      uses: Type.Array(
        Type.Object({
          url: Type.String(),
          number_id: nullable(Id),
          number_name: Type.String(),
          place: oneOf(['live', 'draft', 'hold_music', 'recording_notice'] as const, {
            description:
              'live: the published flow; draft: the draft of the flow; hold_music, recording_notice: settings of the Number, or of the company',
          }),
        }),
      ),
    }),
  },
  async handle({ caller: { companyId }, services: { db } }) {
    const urls = (await soundsOf(db, companyId, maxShown)).flatMap(({ url, name }) => (name === null ? [] : [url]))
    const found = await usesOfUploads(db, companyId, urls)
    return {
      uses: [...found].flatMap(([url, uses]) =>
        uses.map(({ numberId, numberName, place }) => ({ url, number_id: numberId, number_name: numberName, place })),
      ),
    }
  },
})

const fetchAgain = route({
  method: 'POST',
  path: '/v1/sounds/fetch',
  summary: 'Download an audio file again; the current copy plays until it succeeds',
  tag,
  access: 'app',
  body: Type.Object({ url: text(2_048, { examples: ['https://files.example/welcome.mp3'] }) }),
  errors: [{ status: 400, when: 'the URL is not http or https, or that of an upload' }],
  reply: { status: 202, body: OneSound },
  async handle({ body: { url }, caller: { companyId }, services }) {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw badRequest('`url` must be an http(s) URL')
    const sound = await transaction(services.db, async (tx) => {
      const known = await findSound(tx, companyId, url)
      if (known?.name) throw badRequest('`url` is an upload, which cannot be downloaded again')
      if (known?.state === 'ready') await fetchSound(tx, companyId, url, 0, services.clock.now())
      else await prepareSounds(services, tx, companyId, [url])
      return findSound(tx, companyId, url)
    })
    if (!sound) throw badRequest('`url` is the default audio, which cannot be downloaded again')
    return { sound: soundView(sound) }
  },
})

const upload = route({
  method: 'POST',
  path: '/v1/sounds/uploads',
  summary: 'Upload an audio file; its URL can be used in flows and messages immediately',
  description: `mp3, WAV or Ogg (Opus, Vorbis), at most ${maxBytes / 1_000} kB. The URL is readable without credentials.`,
  tag,
  access: 'app',
  body: Type.Object({
    name: text(255, { examples: ['welcome.mp3'] }),
    data: text(1_048_576, { description: 'File content, base64-encoded' }),
  }),
  errors: [{ status: 400, when: `the file is not audio or too large, or there are already ${maxUploads} uploads` }],
  reply: { status: 201, body: OneSound },
  async handle({ body, caller, services, address }) {
    const { db, clock, files, sounds, links } = services
    const { companyId } = caller
    const bytes = bytesIn(body.data)
    const kind = audioTypeOf(bytes)
    const prepared = await toUlaw8k(bytes)
    if ('problem' in prepared) throw badRequest(unplayable(prepared.problem))
    if (kind === null) throw new Error('decoded audio must have a format')
    if ((await countUploads(db, companyId)) >= maxUploads)
      throw badRequest(`There are already ${maxUploads} uploads; delete one first`)
    const id = randomId()
    const [file, url] = [uploadKey(id, kind), uploadUrl(links, id)]
    // Files first: a row without a file would be played, a file without a row would not.
    await files.put(file, bytes)
    await sounds.put(url, prepared.ulaw)
    const sound = await transaction(db, async (tx) => {
      const { seconds } = prepared
      await insertUpload(tx, companyId, { url, name: body.name, file, seconds }, clock.now())
      await audit(services, tx, companyId, {
        actor: actorOf(caller),
        action: 'sound.uploaded',
        details: { file },
        address,
      })
      return findSound(tx, companyId, url)
    })
    if (!sound) throw new Error('an upload that was just written must exist')
    return { sound: soundView(sound) }
  },
})

const UploadParams = Type.Object({
  id: Type.String({ pattern: '^[0-9a-f]{32}$', maxLength: 32, examples: ['0'.repeat(32)] }),
})

interface UploadRequest {
  params: Static<typeof UploadParams>
  caller: Caller
  services: Services
}

const loadUpload = async ({ params, caller, services }: UploadRequest) => {
  const sound = await findSound(services.db, caller.companyId, uploadUrl(services.links, params.id))
  return sound?.name === null ? undefined : sound
}

const rename = route({
  method: 'PUT',
  path: '/v1/sounds/uploads/:id',
  summary: 'Rename an upload; its URL stays the same',
  tag,
  access: 'app',
  params: UploadParams,
  load: loadUpload,
  edits: { object: 'sound', view: ({ loaded }) => soundView(loaded) },
  body: Type.Object({ name: nameText(255, { examples: ['Welcome'] }) }),
  reply: { status: 200, body: OneSound },
  async handle({ loaded, body: { name }, caller, services, address }) {
    const { companyId } = caller
    await transaction(services.db, async (tx) => {
      if (!(await renameUpload(tx, companyId, loaded.url, name))) throw notFound()
      const details = { from: loaded.name, to: name }
      await audit(services, tx, companyId, { actor: actorOf(caller), action: 'sound.renamed', details, address })
    })
    return { sound: soundView({ ...loaded, name }) }
  },
})

const placeWords: Record<SoundUse['place'], string> = {
  live: 'live flow',
  draft: 'draft',
  hold_music: 'hold music',
  recording_notice: 'recording announcement',
}
const maxNamedUses = 4

function usedBy(uses: readonly SoundUse[]): string {
  const named = uses.slice(0, maxNamedUses).map(({ numberName, place }) => `${numberName} (${placeWords[place]})`)
  const more = uses.length > named.length ? ` and ${uses.length - named.length} more` : ''
  return `Used by ${named.join(', ')}${more}. Select other audio there first`
}

const removeUpload = route({
  method: 'DELETE',
  path: '/v1/sounds/uploads/:id',
  summary: 'Delete an upload that no Number uses; the id is the last segment of its URL',
  tag,
  access: 'app',
  params: UploadParams,
  load: loadUpload,
  errors: [
    { status: 422, when: 'a Number uses it in its live flow, in a draft, as hold music or as recording announcement' },
  ],
  reply: { status: 204 },
  async handle({ loaded: { url }, caller, services, address }) {
    const { db, files, sounds } = services
    const { companyId } = caller
    const file = await transaction(db, async (tx) => {
      const uses = (await usesOfUploads(tx, companyId, [url])).get(url)
      if (uses) throw unprocessable(usedBy(uses))
      const deleted = await deleteUpload(tx, companyId, url)
      if (deleted === undefined) throw notFound()
      const details = { file: deleted }
      await audit(services, tx, companyId, { actor: actorOf(caller), action: 'sound.deleted', details, address })
      return deleted
    })
    // After the commit: a row without a file would be played, a file without a row would not.
    await files.remove(file)
    await sounds.remove(url)
    return {}
  },
})

const base64 = /^[A-Za-z0-9+/]+={0,2}$/

function bytesIn(data: string): Buffer {
  if (!base64.test(data)) throw badRequest('`data` must be base64')
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length > maxBytes) {
    throw badRequest(`The file is larger than ${maxBytes / 1_000} kB; convert it to mp3, or use a URL instead`)
  }
  return bytes
}

export const audioRoutes = [
  listSounds,
  listUses,
  fetchAgain,
  upload,
  rename,
  removeUpload,
  readSpeech,
  synthesizeSpeech,
]
