import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { keptAs, modelManifestName, partsOf, thisPlatform } from '../../src/intelligence/models.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { modelsFolder } from '../kit/spoken.ts'
import { examined } from './doctor-report.ts'
import { sandbox } from './program.ts'

test('doctor names the command that installs the models, unless speech-to-text is off or on a server', async () => {
  const env = await sandbox({ AI_MODELS_DIR: await temporaryFolder() })

  const missing = await examined(env)
  const off = await examined({ ...env, AI_STT: 'off' })
  const remote = await examined({ ...env, AI_STT: 'openai+https://speech.example.com/v1#whisper' })

  expect(missing.about('Speech-to-text')).toMatch(/^warn.*no models in .*`hookswitch models fetch`/)
  expect(off.about('Speech-to-text')).toMatch(/^ok.*off/)
  expect(remote.about('Speech-to-text')).toMatch(/^ok.*openai/)
})

test.skipIf(!partsOf('en', thisPlatform))('doctor recognizes models that do not load', async () => {
  const env = await sandbox({ AI_MODELS_DIR: await damagedModels() })

  const { code, about } = await examined(env)

  expect(about('Speech-to-text')).toMatch(/^ERROR.*the models do not load: delete .* and run `hookswitch models fetch`/)
  expect(code).toBe(1)
})

test.skipIf(!modelsFolder())('doctor loads the models', async () => {
  const env = await sandbox({ AI_MODELS_DIR: modelsFolder() ?? '' })

  expect((await examined(env)).about('Speech-to-text')).toMatch(/^ok.*Moonshine.*loaded in \d+\.\d s/)
})

/** As after a failure of the disk: complete by names and sizes, with other content. */
async function damagedModels(): Promise<string> {
  const folder = await temporaryFolder()
  const parts: Record<string, object> = {}
  for (const part of partsOf('en', thisPlatform) ?? []) {
    const files: Record<string, object> = {}
    for (const [file, sha256] of Object.entries(part.files)) {
      const kept = keptAs(part, file)
      await mkdir(path.dirname(path.join(folder, kept)), { recursive: true })
      await writeFile(path.join(folder, kept), 'damaged')
      files[kept] = { sha256, bytes: 7 }
    }
    parts[part.name] = { package: part.package, version: part.version, files }
  }
  await writeFile(path.join(folder, modelManifestName), JSON.stringify({ parts }))
  return folder
}
