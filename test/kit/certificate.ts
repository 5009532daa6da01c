import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A self-signed certificate for `NAME.test`, and its key. */
export async function makeCertificate(folder: string, name: string) {
  const files = { cert: path.join(folder, `${name}.crt`), key: path.join(folder, `${name}.key`) }
  const subject = ['-subj', `/CN=${name}.test`, '-days', '2', '-nodes']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  await run('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', files.key, '-out', files.cert])
  return files
}
