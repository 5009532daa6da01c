// A minimal hand-written POST /v1/contacts on PostgreSQL. No credentials, limit or validation.
import { createServer } from 'node:http'
import pg from 'pg'

const { PORT, URL: url = '', COMPANY = '' } = process.env
const companyId = Number(COMPANY)
const pool = new pg.Pool({ connectionString: url, max: 10, options: '-c jit=off' })
const day = 86_400_000

interface NewContact {
  first_name: string
  last_name: string
  phone_numbers: { label: string; value: string }[]
}

/** A contact, its phone number, the event and the day's count in one durable transaction, as the product does it. */
async function create(contact: NewContact): Promise<string> {
  const client = await pool.connect()
  const at = Date.now()
  try {
    await client.query('begin')
    const made = await client.query<{ id: string }>(
      `insert into contact (company_id, first_name, last_name, created_at, updated_at) values ($1, $2, $3, $4, $4) returning id`,
      [companyId, contact.first_name, contact.last_name, at],
    )
    const id = made.rows[0]?.id
    const phones: object[] = []
    for (const { label, value } of contact.phone_numbers) {
      const { rows } = await client.query<{ id: string }>(
        'insert into contact_phone (contact_id, company_id, label, value, digits) values ($1, $2, $3, $4, $5) returning id',
        [id, companyId, label, value, value.replace(/\D/g, '')],
      )
      phones.push({ id: Number(rows[0]?.id), label, value })
    }
    const body = JSON.stringify({ contact: { id: Number(id), ...contact, created_at: at, phone_numbers: phones } })
    await client.query(
      `insert into event (id, company_id, name, resource, resource_key, occurred_at, data)
       values ($1, $2, 'contact.created', 'contact', $3, $4, $5)`,
      [`evt_${process.hrtime.bigint()}_${id}`, companyId, `contact:${id}`, at, body],
    )
    await client.query(
      `insert into contact_count as c (company_id, day, n, changed) values ($1, $2, 1, 1)
       on conflict (company_id, day) do update set n = c.n + 1, changed = c.changed + 1`,
      [companyId, Math.floor(at / day)],
    )
    await client.query('commit')
    return body
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = await create(JSON.parse(Buffer.concat(chunks).toString()))
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}).listen(Number(PORT), '127.0.0.1', () => console.log(`ready http://127.0.0.1:${PORT}`))
