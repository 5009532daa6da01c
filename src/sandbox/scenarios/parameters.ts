import { Type } from 'typebox'
import { badRequest } from '../../http/errors.ts'
import { scenarios } from './index.ts'
import type { ParameterValues, Scenario } from './plan.ts'

/** Parameters of all scenarios; each run uses those of its scenario. */
export const ParametersBody = Type.Object(
  Object.fromEntries(
    scenarios.flatMap(({ parameters }) => Object.keys(parameters).map((name) => [name, Type.Optional(Type.Number())])),
  ),
)

/** Missing parameters take their defaults. */
export function parametersIn({ parameters }: Scenario, given: Record<string, number | undefined>): ParameterValues {
  const values = new Map<string, number>()
  for (const [name, { type, default: defaultValue, min, max }] of Object.entries(parameters)) {
    const value = given[name] ?? defaultValue
    const isWrong = value < min || value > max || (type === 'integer' && !Number.isInteger(value))
    if (isWrong)
      throw badRequest(`\`${name}\` must be ${type === 'integer' ? 'an Integer' : 'a number'} from ${min} to ${max}`)
    values.set(name, value)
  }
  return (name) => {
    const value = values.get(name)
    if (value === undefined) throw new Error(`${name} is not a parameter of the scenario`)
    return value
  }
}
