import { inject } from 'vitest'
import { useProgramsIn } from '../../src/lib/program-file.ts'

useProgramsIn(inject('programs'))
