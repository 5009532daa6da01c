import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOfCookie } from './auth.ts'
import type { Caller } from './caller.ts'
import { type CompressedFile, compressOnce, encodingFor } from './compression.ts'
import { type Html, sendHtml } from './page-at.ts'
import type { Page } from './server.ts'

// The dashboard and the phone app: static files of the build with client-side routing.

const forever = 'public, max-age=31536000, immutable'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.ts': 'text/plain; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
}

interface File {
  type: string
  bytes: Buffer
  compressed: CompressedFile
}

export interface WebOptions {
  /** Base URL of recordings. */
  assets: string
  /** Sites that may embed the phone app: those of the signed-in user's company, or all. */
  embedders(caller: Caller | undefined): Promise<readonly string[]>
  /** Checks by path before a page is served. */
  guards: Record<string, Guard>
}

/** Another page, a redirect, or undefined to serve the page. */
export type Guard = (asked: {
  search: string
  caller: Caller | undefined
}) => Promise<Html | { to: string } | undefined>

/** No external content and no inline scripts; the component library needs inline styles. */
const policy = (assets: string, frames: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https:; ` +
  `font-src 'self'; connect-src 'self' ${assets}; media-src 'self' blob: ${assets}; manifest-src 'self'; worker-src 'self'; ` +
  `frame-ancestors ${frames}; base-uri 'none'; form-action 'self'; object-src 'none'`

/** Paths of each app. */
const dashboardAddresses = ['/dashboard', '/dashboard/*']
const signedOutAddresses = [
  '/sign-in',
  '/invitation/:token',
  '/password/:token',
  '/unsubscribe/:token',
  '/sso/callback',
  '/download',
  '/oauth/authorize',
  '/oauth/success',
]
const phoneAddresses = ['/phone', '/phone/*']

const serviceWorker = 'service-worker.js'
/** Files that make the phone app installable; their URLs never change, so a new release is checked for. */
const phoneFiles: readonly (readonly [name: string, cacheControl: string])[] = [
  [serviceWorker, 'no-cache'],
  ['manifest.webmanifest', 'no-cache'],
  ['icon.svg', 'public, max-age=86400'],
  ['icon-192.png', 'public, max-age=86400'],
  ['icon-512.png', 'public, max-age=86400'],
  ['icon-maskable-512.png', 'public, max-age=86400'],
  ['badge-96.png', 'public, max-age=86400'],
]

export function webPages({ assets: recordings, embedders, guards }: WebOptions): Page {
  const folder = webFolder()
  const assets = assetNames(folder)
  const files = new Map<string, File>()
  const origin = new URL(recordings).origin

  function fileAt(name: string): File | undefined {
    const known = files.get(name)
    if (known || !folder) return known
    const at = path.join(folder, name)
    const type = types[path.extname(name)]
    if (!type || !at.startsWith(folder + path.sep) || !existsSync(at)) return undefined
    const file = { type, bytes: readFileSync(at), compressed: builtCompressed(at) }
    files.set(name, file)
    return file
  }

  async function send(request: FastifyRequest, reply: FastifyReply, file: File) {
    reply.header('content-type', file.type).header('vary', 'accept-encoding')
    const encoding = isCompressible(file) ? encodingFor(request.headers['accept-encoding']) : undefined
    if (!encoding) return reply.send(file.bytes)
    return reply
      .header('content-encoding', encoding)
      .send(await compressOnce(file.compressed, encoding, () => file.bytes))
  }

  return (server, auth) => {
    server.get('/', async (request, reply) =>
      request.url.startsWith('/') ? reply.redirect('/dashboard') : reply.callNotFound(),
    )
    server.get<{ Params: { name: string } }>('/web/assets/:name', async (request, reply) => {
      const { name } = request.params
      const file = assets.has(name) ? fileAt(`assets/${name}`) : undefined
      return file ? send(request, reply.header('cache-control', forever), file) : reply.callNotFound()
    })
    // Including its types. Loaded by other sites from any origin; the URL never changes, so caching is short.
    for (const name of ['embed.js', 'embed.mjs', 'embed.d.ts']) {
      server.get(`/${name}`, async (request, reply) => {
        const file = fileAt(name)
        if (!file) return reply.callNotFound()
        reply.header('cross-origin-resource-policy', 'cross-origin').header('access-control-allow-origin', '*')
        return send(request, reply.header('cache-control', 'public, max-age=3600'), file)
      })
    }
    for (const [name, cacheControl] of phoneFiles) {
      server.get(`/phone/${name}`, async (request, reply) => {
        const file = fileAt(`phone/${name}`)
        if (!file) return reply.callNotFound()
        if (name === serviceWorker) {
          // The app is at /phone, one level above the worker, whose own requests this policy governs.
          reply.header('service-worker-allowed', '/phone')
          reply.header('content-security-policy', "default-src 'none'; connect-src 'self'; frame-ancestors 'none'")
        }
        return send(request, reply.header('cache-control', cacheControl), file)
      })
    }
    type Frames = (request: FastifyRequest) => Promise<string>
    const shell = (name: string, addresses: readonly string[], microphone: string, frames: Frames) => {
      for (const address of addresses) {
        const guard = guards[address]
        server.get(address, async (request, reply) => {
          if (guard) {
            const [, search = ''] = request.url.split(/\?(.*)/s)
            const instead = await guard({ search, caller: await callerOfCookie(auth, request) })
            if (instead) return 'to' in instead ? reply.redirect(instead.to) : sendHtml(reply, instead)
          }
          const security = policy(origin, await frames(request))
          reply.header('content-security-policy', security).header('cache-control', 'private, no-cache')
          reply.header('permissions-policy', `microphone=${microphone}, camera=(), geolocation=()`)
          const file = fileAt(name)
          if (!file) return reply.code(503).type('text/plain').send('The web apps are not built: run npm run build\n')
          return send(request, reply, file)
        })
      }
    }
    const unframed = async () => "'none'"
    // Prompts are recorded in the dashboard; the pages of signed-out users need no microphone.
    shell('dashboard/index.html', dashboardAddresses, '(self)', unframed)
    shell('dashboard/index.html', signedOutAddresses, '()', unframed)
    // Sites allowed by one company must not embed the phone app of another company's users.
    shell('phone/index.html', phoneAddresses, '(self)', async (request) =>
      ["'self'", ...(await embedders(await callerOfCookie(auth, request)))].join(' '),
    )
  }
}

/** The build compresses the files of the first page, better than there is time for on a request. */
const builtCompressed = (at: string): CompressedFile => ({
  ...(existsSync(`${at}.br`) && { br: Promise.resolve(readFileSync(`${at}.br`)) }),
  ...(existsSync(`${at}.gz`) && { gzip: Promise.resolve(readFileSync(`${at}.gz`)) }),
})

const isCompressible = ({ type, bytes }: File) => bytes.length >= 1_000 && !/^(font|image\/png)/.test(type)

/** Next to the built program; in development, the last build. */
function webFolder(): string | undefined {
  const here = import.meta.dirname
  return [path.join(here, 'web'), path.join(here, '..', '..', 'dist', 'web')].find((folder) =>
    existsSync(path.join(folder, 'dashboard', 'index.html')),
  )
}

function assetNames(folder: string | undefined): Set<string> {
  const assets = folder && path.join(folder, 'assets')
  return new Set(assets && existsSync(assets) ? readdirSync(assets).filter((name) => !/\.(br|gz)$/.test(name)) : [])
}
