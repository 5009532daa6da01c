import { execFile, execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

// Networks on this machine whose hosts are network namespaces. For programs that cannot use loopback.

const run = promisify(execFile)

export interface OwnNetwork {
  /** Our end of the link. */
  here: string
  /** The end inside the namespace. */
  there: string
  /** The same link with IPv6 addresses. */
  here6: string
  there6: string
  /** Prefix of commands that run inside. */
  inside: readonly string[]
}

/** Why this machine cannot create one; undefined where it can. */
export function noNetworkOfOurOwn(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root makes namespaces'
  const name = `hs-try-${process.pid}`
  try {
    execFileSync('ip', ['netns', 'add', name], { stdio: 'ignore' })
    execFileSync('ip', ['netns', 'delete', name], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'no ip netns, or not allowed'
  }
}

/** Removed after the test. */
export async function ownNetwork(): Promise<OwnNetwork> {
  const net = freeNet()
  const net6 = `fd00:${randomInt(1, 65_535).toString(16)}:${randomInt(1, 65_535).toString(16)}:`
  const name = `hs-${net.replaceAll('.', '-')}`
  const [wire, far] = [`hs${randomInt(1e9)}`, 'phone0']
  const ip = (...args: string[]) => run('ip', args)
  await ip('netns', 'add', name)
  // The link is removed with the namespace of its other end.
  onTestFinished(async () => void (await ip('netns', 'delete', name)))
  await ip('link', 'add', wire, 'type', 'veth', 'peer', 'name', far, 'netns', name)
  await ip('addr', 'add', `${net}.1/30`, 'dev', wire)
  // Without duplicate address detection the address can be bound at once.
  await ip('addr', 'add', `${net6}:1/64`, 'dev', wire, 'nodad')
  await ip('link', 'set', wire, 'up')
  await ip('-n', name, 'addr', 'add', `${net}.2/30`, 'dev', far)
  await ip('-n', name, 'addr', 'add', `${net6}:2/64`, 'dev', far, 'nodad')
  await ip('-n', name, 'link', 'set', far, 'up')
  await ip('-n', name, 'link', 'set', 'lo', 'up')
  const [here6, there6] = [`${net6}:1`, `${net6}:2`]
  return { here: `${net}.1`, there: `${net}.2`, here6, there6, inside: ['ip', 'netns', 'exec', name] }
}

export interface HostNetwork {
  /** Our address. */
  here: string
  /** A second address of ours. */
  beside: string
  hosts: { address: string; inside: readonly string[] }[]
}

/** Our host and others, on one bridge. Removed after the test. */
export async function networkOfHosts(count: number): Promise<HostNetwork> {
  const net = freeNet()
  const bridge = `hs${randomInt(1e9)}`
  const ip = (...args: string[]) => run('ip', args)
  await ip('link', 'add', bridge, 'type', 'bridge')
  onTestFinished(async () => void (await ip('link', 'delete', bridge)))
  const [here, beside] = [`${net}.1`, `${net}.2`]
  for (const address of [here, beside]) await ip('addr', 'add', `${address}/24`, 'dev', bridge)
  await ip('link', 'set', bridge, 'up')
  const hosts: HostNetwork['hosts'] = []
  for (let n = 0; n < count; n++) {
    const name = `hs-${net.replaceAll('.', '-')}-${n}`
    const [near, address] = [`hs${randomInt(1e9)}`, `${net}.${n + 11}`]
    await ip('netns', 'add', name)
    onTestFinished(async () => void (await ip('netns', 'delete', name)))
    await ip('link', 'add', near, 'type', 'veth', 'peer', 'name', 'host0', 'netns', name)
    await ip('link', 'set', near, 'master', bridge, 'up')
    await ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'host0')
    await ip('-n', name, 'link', 'set', 'host0', 'up')
    await ip('-n', name, 'link', 'set', 'lo', 'up')
    hosts.push({ address, inside: ['ip', 'netns', 'exec', name] })
  }
  return { here, beside, hosts }
}

/** A network prefix unused on this machine. */
function freeNet(): string {
  const taken = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
  for (;;) {
    const net = `10.${randomInt(64, 255)}.${randomInt(0, 255)}`
    if (!taken.some((address) => address.startsWith(`${net}.`))) return net
  }
}
