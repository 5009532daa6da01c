import { type Env, hookswitch } from './program.ts'

/** What `hookswitch doctor` reports, by the first words of its lines. */
export async function examined(env: Env) {
  const { code, stdout, stderr } = await hookswitch(['doctor'], {
    RTP_PORTS: '29000-29019',
    RTP_BROWSER_PORT: '29020',
    ...env,
  })
  const lines = stdout.split('\n')
  return {
    code,
    lines,
    about: (name: string) => lines.find((line) => line.slice(7).startsWith(name)) ?? stdout + stderr,
  }
}
