import { type TSchema, Type } from 'typebox'

// Inputs that several tools have.

export const idInput = (what: string) => Type.Integer({ minimum: 1, description: `Id of the ${what}` })
export const callId = Type.Object({ call_id: idInput('call') })
export const timeAt = (what: string) =>
  Type.String({ format: 'date-time', description: `${what}, ISO 8601 with time zone, such as 2026-11-02T08:00:00Z` })
export const phoneNumber = (what: string) =>
  Type.String({ pattern: '^\\+[1-9]\\d{6,14}$', description: `${what} in E.164 notation, such as +33612345678` })
export const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 50, default: 20, description: 'Results at most, 20 by default' }),
)
export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)
