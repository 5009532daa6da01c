import { execFile, execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

// A network of two hosts on this machine: ours and a network namespace. For programs that cannot use loopback.

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

/** A network prefix unused on this machine. */
function freeNet(): string {
  const taken = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
  for (;;) {
    const net = `10.${randomInt(64, 255)}.${randomInt(0, 255)}`
    if (!taken.some((address) => address.startsWith(`${net}.`))) return net
  }
}
