import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '../kit/databases.ts'

// No container engine is needed: these tests read the files. deploy/README.md says so.

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const settings = new Set([...read('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name))
const unknown = (names: string[]) => names.filter((name) => !settings.has(name))

test('the Compose file sets settings that exist, and no container of ours has root or a writable root', () => {
  const { services } = parse(read('deploy/docker/compose.yaml'), { merge: true })

  for (const name of ['server', 'line-node', 'remote-line-node']) {
    expect(unknown(Object.keys(services[name].environment))).toEqual([])
    expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], network_mode: 'host' })
  }
  expect(Object.keys(services)).toEqual(expect.arrayContaining(['postgres', 'turn']))
  expect(services.server.depends_on.postgres).toEqual({ condition: 'service_healthy' })
})

test('the variables of the Compose file are in its example', () => {
  const mandatory = [...read('deploy/docker/compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
  const example = [...read('deploy/docker/env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name)

  expect(mandatory.filter((name) => !example.includes(name))).toEqual([])
})

test('the image runs the installed package as a user without root, with a health check', () => {
  const dockerfile = read('deploy/docker/Dockerfile')
  const [, last = ''] = dockerfile.split(/^FROM .* AS build$/m)

  expect(last).toMatch(/^USER 10001:10001$/m)
  expect(last).toMatch(/^HEALTHCHECK .*readyz/m)
  expect(last).toMatch(/^ENTRYPOINT \["node", "\/app\/node_modules\/hookswitch\/dist\/main\.js"\]$/m)
  const names = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, all = '']) =>
    all.split(' ').map((one) => one.split('=')[0]),
  )
  expect(unknown(names.flatMap((name) => name ?? []))).toEqual(['NODE_ENV'])
})

test('the chart sets settings that exist, and has the version of the package', () => {
  const chart = parse(read('deploy/helm/hookswitch/Chart.yaml'))
  const values = parse(read('deploy/helm/hookswitch/values.yaml'))
  const folder = 'deploy/helm/hookswitch/templates'
  const templates = readdirSync(path.join(root, folder)).map((file) => read(path.join(folder, file)))
  const named = templates.flatMap((text) =>
    [...text.matchAll(/name: ([A-Z][A-Z0-9_]+)\b/g)].map(([, name = '']) => name),
  )
  const used = templates.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, place = '']) => place))
  const missing = used.filter((place) => place.split('.').reduce((at, part) => at?.[part], values) === undefined)

  expect(chart.appVersion).toBe(JSON.parse(read('package.json')).version)
  expect(unknown([...Object.keys(values.settings), ...named])).toEqual(['HOST_IP'])
  expect(missing).toEqual([])
  // A range of private addresses would trust every pod of the cluster.
  expect(values.trustedProxies).toBe('')
})

test('the secrets of the Compose file are neither in the package nor in the image', async () => {
  const folder = await temporaryFolder()
  cpSync(path.join(root, 'deploy'), path.join(folder, 'deploy'), { recursive: true })
  cpSync(path.join(root, 'package.json'), path.join(folder, 'package.json'))
  writeFileSync(path.join(folder, 'deploy/docker/.env'), 'POSTGRES_PASSWORD=secret')

  const pack = ['pack', '--dry-run', '--ignore-scripts', '--json']
  const [packed] = JSON.parse(
    execFileSync('npm', pack, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  const files = packed.files.map((file: { path: string }) => file.path)

  expect(files).toContain('deploy/docker/env.example')
  expect(files).not.toContain('deploy/docker/.env')
  expect(read('deploy/docker/Dockerfile.dockerignore').split('\n')).toContain('**/.env')
})
