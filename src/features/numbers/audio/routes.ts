import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { text } from '../../../http/schemas.ts'
import { randomId } from '../../../lib/secrets.ts'
import { audioTypeOf, toUlaw8k } from '../../../media/to-ulaw.ts'
import { actorOf, audit } from '../../accounts/index.ts'
import { unplayable } from './fetch.ts'
import { uploadKey, uploadUrl } from './links.ts'
import { fetchSound, prepareSounds } from './prepare.ts'
import { countUploads, deleteUpload, findSound, insertUpload, numbersPlaying, soundsOf } from './store.ts'
import { SoundView, soundView } from './view.ts'

// Audio that the company's Numbers play. Under /app only: integrations name addresses, people look at what came of them.

const tag = 'Sounds'
const maxShown = 500
const maxUploads = 200
// As base64 it stays below what a body may have.
const maxBytes = 700_000
const OneSound = Type.Object({ sound: SoundView })

const listSounds = route({
  method: 'GET',
  path: '/v1/sounds',
  summary: 'List the audio that Numbers name, and whether it could be fetched',
  tag,
  access: 'app',
  reply: { status: 200, body: Type.Object({ sounds: Type.Array(SoundView) }) },
  async handle({ caller, services }) {
    return { sounds: (await soundsOf(services.db, caller.companyId, maxShown)).map(soundView) }
  },
})

const fetchAgain = route({
  method: 'POST',
  path: '/v1/sounds/fetch',
  summary: 'Fetch the audio at an address again; the copy that is there plays until that succeeds',
  tag,
  access: 'app',
  body: Type.Object({ url: text(2_048, { examples: ['https://files.example/welcome.mp3'] }) }),
  errors: [{ status: 400, when: 'the address is none of http or https, or that of an upload' }],
  reply: { status: 202, body: OneSound },
  async handle({ body: { url }, caller: { companyId }, services }) {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw badRequest('`url` must be an http(s) URL')
    const sound = await transaction(services.db, async (tx) => {
      const known = await findSound(tx, companyId, url)
      if (known?.name) throw badRequest('`url` is that of an upload, which is not fetched')
      if (known?.state === 'ready') await fetchSound(tx, companyId, url, 0, services.clock.now())
      else await prepareSounds(services, tx, companyId, [url])
      return findSound(tx, companyId, url)
    })
    if (!sound) throw badRequest('`url` is that of our default audio, which is not fetched')
    return { sound: soundView(sound) }
  },
})

const upload = route({
  method: 'POST',
  path: '/v1/sounds/uploads',
  summary: 'Upload audio; its address can be put into flows and messages, and plays at once',
  description: `mp3, WAV or Ogg (Opus, Vorbis), at most ${maxBytes / 1_000} kB. The address is readable by whoever knows it.`,
  tag,
  access: 'app',
  body: Type.Object({
    name: text(255, { examples: ['welcome.mp3'] }),
    data: text(1_048_576, { description: 'The file in base64' }),
  }),
  errors: [{ status: 400, when: `it is no audio, too large, or there are ${maxUploads} uploads already` }],
  reply: { status: 201, body: OneSound },
  async handle({ body, caller, services, address }) {
    const { db, clock, files, sounds, links } = services
    const { companyId } = caller
    const bytes = bytesIn(body.data)
    const kind = audioTypeOf(bytes)
    const prepared = await toUlaw8k(bytes)
    if ('problem' in prepared) throw badRequest(unplayable(prepared.problem))
    if (kind === null) throw new Error('what was decoded is of some kind')
    if ((await countUploads(db, companyId)) >= maxUploads) throw badRequest(`There are ${maxUploads} uploads already`)
    const id = randomId()
    const [file, url] = [uploadKey(id, kind), uploadUrl(links, id)]
    // Files first: a row that leads nowhere would be heard, a file that nothing leads to is not.
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
    if (!sound) throw new Error('an upload that was just written is there')
    return { sound: soundView(sound) }
  },
})

const UploadParams = Type.Object({
  id: Type.String({ pattern: '^[0-9a-f]{32}$', maxLength: 32, examples: ['0'.repeat(32)] }),
})

const removeUpload = route({
  method: 'DELETE',
  path: '/v1/sounds/uploads/:id',
  summary: 'Delete an upload that no Number plays; the id is the end of its address',
  tag,
  access: 'app',
  params: UploadParams,
  async load({ params, caller, services }) {
    const sound = await findSound(services.db, caller.companyId, uploadUrl(services.links, params.id))
    return sound?.name === null ? undefined : sound
  },
  errors: [{ status: 422, when: 'a Number plays it, in its live flow, in a draft or as music on hold' }],
  reply: { status: 204 },
  async handle({ loaded: { url }, caller, services, address }) {
    const { db, files, sounds } = services
    const { companyId } = caller
    const file = await transaction(db, async (tx) => {
      const [first, ...others] = await numbersPlaying(tx, companyId, url)
      if (first !== undefined) {
        const more = others.length > 0 ? ` and ${others.length} more` : ''
        throw unprocessable(`It is played by ${first}${more}; give them other audio first`)
      }
      const deleted = await deleteUpload(tx, companyId, url)
      if (deleted === undefined) throw notFound()
      const details = { file: deleted }
      await audit(services, tx, companyId, { actor: actorOf(caller), action: 'sound.deleted', details, address })
      return deleted
    })
    // After the commit: a row that leads nowhere would be heard, a file that nothing leads to is not.
    await files.remove(file)
    await sounds.remove(url)
    return {}
  },
})

const base64 = /^[A-Za-z0-9+/]+={0,2}$/

function bytesIn(data: string): Buffer {
  if (!base64.test(data)) throw badRequest('`data` must be a file in base64')
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length > maxBytes) {
    throw badRequest(
      `The file is larger than ${maxBytes / 1_000} kB; make it an mp3, or give an address to fetch it from`,
    )
  }
  return bytes
}

export const audioRoutes = [listSounds, fetchAgain, upload, removeUpload]
