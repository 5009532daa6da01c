import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bucket } from '../../test/kit/bucket.ts'
import { credentialsFrom } from './aws-credentials.ts'
import { systemClock } from './clock.ts'
import { filesOnS3 } from './files-s3.ts'

/** An ECS agent, an EKS Pod Identity agent and the metadata service of an EC2 instance in one. */
async function metadata({ token = 'Bearer of tokens', lifetimeMs = 3_600_000 } = {}) {
  const requests: string[] = []
  let issued = 0
  let isDown = false
  const current = () => ({
    accessKeyId: `ASIA${issued}`,
    secretAccessKey: `secret ${issued}`,
    sessionToken: `token/${issued}==`,
  })
  const issue = (at: number) => {
    issued++
    const { accessKeyId, secretAccessKey, sessionToken } = current()
    return JSON.stringify({
      Code: 'Success',
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      Token: sessionToken,
      Expiration: new Date(at + lifetimeMs).toISOString(),
    })
  }
  const clock = { ...systemClock(), machineNow: () => Date.now() + ahead }
  let ahead = 0
  const server = createServer(({ method, url = '', headers }, response) => {
    requests.push(`${method} ${url}`)
    if (isDown) return response.writeHead(500).end()
    if (url === '/v1/credentials')
      return headers.authorization === token ? response.end(issue(clock.machineNow())) : response.writeHead(401).end()
    if (url === '/latest/api/token')
      return method === 'PUT' && Number(headers['x-aws-ec2-metadata-token-ttl-seconds']) > 0
        ? response.end('session')
        : response.writeHead(400).end()
    if (headers['x-aws-ec2-metadata-token'] !== 'session') return response.writeHead(401).end()
    const roles = '/latest/meta-data/iam/security-credentials/'
    if (url === roles) return response.end('phone role')
    return url === `${roles}phone%20role` ? response.end(issue(clock.machineNow())) : response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    requests,
    current,
    clock,
    advance: (ms: number) => {
      ahead += ms
    },
    fail: (down: boolean) => {
      isDown = down
    },
  }
}

describe('credentials of a role', () => {
  test('of an instance are fetched with a session token of IMDSv2 and sign the requests', async () => {
    const { endpoint, requests, current, clock } = await metadata()
    const { place, objects } = await bucket(current)
    const files = filesOnS3({ ...place, credentials: { kind: 'instance', endpoint } }, clock)

    await Promise.all([files.put('a.mp3', Buffer.from('a')), files.put('b.mp3', Buffer.from('b'))])

    expect(objects.size).toBe(2)
    expect(requests).toEqual([
      'PUT /latest/api/token',
      'GET /latest/meta-data/iam/security-credentials/',
      'GET /latest/meta-data/iam/security-credentials/phone%20role',
    ])
  })

  test('of a container are fetched with the token of the platform, which is read again from its file', async () => {
    const { endpoint, token, current, clock, advance } = await metadata()
    const { place } = await bucket(current)
    const tokenFile = path.join(await mkdtemp(path.join(tmpdir(), 'token-')), 'token')
    onTestFinished(() => rm(path.dirname(tokenFile), { recursive: true }))
    await writeFile(tokenFile, `${token}\n`)
    const url = `${endpoint}/v1/credentials`
    const byFile = filesOnS3({ ...place, credentials: { kind: 'container', url, tokenFile } }, clock)
    const byValue = filesOnS3({ ...place, credentials: { kind: 'container', url, token } }, clock)
    const wrong = filesOnS3({ ...place, credentials: { kind: 'container', url, token: 'hunter2' } }, clock)

    await byFile.put('a.mp3', Buffer.from('a'))
    await byValue.put('a.mp3', Buffer.from('a'))
    await expect(wrong.put('a.mp3', Buffer.from('a'))).rejects.toThrow(
      `no credentials for the file store: ${endpoint} answered GET with 401`,
    )
    await writeFile(tokenFile, 'outdated')
    advance(3_600_000)
    await expect(byFile.put('a.mp3', Buffer.from('a'))).rejects.toThrow('401')
  }, 15_000)

  test('are cached, and renewed before they expire without delaying a request', async () => {
    const { endpoint, requests, current, clock, advance } = await metadata()
    const source = credentialsFrom({ kind: 'instance', endpoint }, clock)

    for (let i = 0; i < 3; i++) expect((await source()).accessKeyId).toBe('ASIA1')
    advance(56 * 60_000)
    expect((await source()).accessKeyId).toBe('ASIA1')
    await expect.poll(async () => (await source()).accessKeyId).toBe('ASIA2')
    advance(61 * 60_000)
    expect((await source()).accessKeyId).toBe('ASIA3')
    expect(current().accessKeyId).toBe('ASIA3')
    expect(requests.filter((line) => line.startsWith('PUT'))).toHaveLength(3)
  })

  test('stay in use while the metadata service fails, until they expire', async () => {
    const { endpoint, clock, advance, fail } = await metadata()
    const source = credentialsFrom({ kind: 'instance', endpoint }, clock)
    await source()

    fail(true)
    advance(58 * 60_000)
    expect((await source()).accessKeyId).toBe('ASIA1')
    advance(3 * 60_000)
    await expect(source()).rejects.toThrow(/^no credentials for the file store: .* answered PUT with 500$/)
    fail(false)
    expect((await source()).accessKeyId).toBe('ASIA2')
  }, 15_000)

  test('without a metadata service the error names the host that was asked', async () => {
    const { place } = await bucket()
    const files = filesOnS3(
      { ...place, credentials: { kind: 'instance', endpoint: 'http://127.0.0.1:9' } },
      systemClock(),
    )

    await expect(files.size('a.mp3')).rejects.toThrow(
      'no credentials for the file store: http://127.0.0.1:9 cannot be reached (ECONNREFUSED)',
    )
  }, 15_000)
})
