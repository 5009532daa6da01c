// What the product is measured against: the least a person would write by hand. No credentials, limit or validation.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import SqliteFile from 'libsql'

const { PORT, FILE = '', COMPANY = '', BYTES = '' } = process.env
const [kind] = process.argv.slice(2)
const answer = kind === 'sql' ? sqlAnswers(FILE, Number(COMPANY)) : bytesAnswer(BYTES)
createServer(answer).listen(Number(PORT), '127.0.0.1', () => console.log(`ready http://127.0.0.1:${PORT}`))

/** The same bytes every time: the ceiling of node:http itself. */
function bytesAnswer(bytes: string) {
  return (_request: IncomingMessage, response: ServerResponse) => send(response, 200, bytes)
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

/** The statements of features/contacts/store.ts, prepared once, and JSON.stringify. */
function sqlAnswers(file: string, companyId: number) {
  const db = new SqliteFile(file)
  for (const pragma of ['journal_mode = wal', 'synchronous = full', 'cache_size = -32000', 'secure_delete = on']) {
    db.exec(`pragma ${pragma}`)
  }
  const list = listing(db, companyId)
  const create = creating(db, companyId)
  return async (request: IncomingMessage, response: ServerResponse) => {
    const base = `http://${request.headers.host}`
    if (request.method === 'GET') return send(response, 200, list(base, new URL(request.url ?? '', base)))
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    send(response, 201, create(base, JSON.parse(Buffer.concat(chunks).toString())))
  }
}

type File = InstanceType<typeof SqliteFile>
type ContactRow = Record<'first_name' | 'last_name' | 'company_name' | 'information', string | null> &
  Record<'id' | 'created_at' | 'updated_at', number>
type DetailRow = { id: number; contact_id: number; label: string; value: string }

function listing(db: File, companyId: number) {
  const ids = db.prepare<unknown[]>(
    'select id from contact where company_id = ? order by created_at, id limit ? offset ?',
  )
  const count = db.prepare<unknown[]>('select sum(n) as n from contact_count where company_id = ?')
  const marks = Array(20).fill('?').join(', ')
  const contacts = db.prepare<unknown[]>(
    `select id, first_name, last_name, company_name, information, created_at, updated_at
     from contact where company_id = ? and id in (${marks})`,
  )
  const details = (table: string) =>
    db.prepare<unknown[]>(
      `select id, contact_id, label, value from ${table} where company_id = ? and contact_id in (${marks}) order by id`,
    )
  const phones = details('contact_phone')
  const emails = details('contact_email')

  return (base: string, { searchParams }: URL): string => {
    const page = Number(searchParams.get('page') ?? 1)
    const wanted = (ids.all(companyId, 20, (page - 1) * 20) as { id: number }[]).map(({ id }) => id)
    const { n: total } = count.get(companyId) as { n: number }
    const rows = new Map((contacts.all(companyId, ...wanted) as ContactRow[]).map((row) => [row.id, row]))
    const phonesOf = grouped(phones.all(companyId, ...wanted) as DetailRow[])
    const emailsOf = grouped(emails.all(companyId, ...wanted) as DetailRow[])
    const link = (to: number) => `${base}/v1/contacts?page=${to}&per_page=20`
    return JSON.stringify({
      meta: {
        count: wanted.length,
        total,
        current_page: page,
        per_page: 20,
        next_page_link: page * 20 < Math.min(total, 10_000) ? link(page + 1) : null,
        previous_page_link: page > 1 ? link(page - 1) : null,
      },
      contacts: wanted.map((id) => view(base, rows.get(id) as ContactRow, phonesOf.get(id), emailsOf.get(id))),
    })
  }
}

function grouped(rows: DetailRow[]): Map<number, Omit<DetailRow, 'contact_id'>[]> {
  const lists = new Map<number, Omit<DetailRow, 'contact_id'>[]>()
  for (const { id, contact_id, label, value } of rows) {
    const list = lists.get(contact_id)
    if (list) list.push({ id, label, value })
    else lists.set(contact_id, [{ id, label, value }])
  }
  return lists
}

const view = (base: string, row: ContactRow, phones: object[] = [], emails: object[] = []) => ({
  id: row.id,
  direct_link: `${base}/v1/contacts/${row.id}`,
  first_name: row.first_name,
  last_name: row.last_name,
  company_name: row.company_name,
  information: row.information,
  is_shared: true,
  created_at: Math.floor(row.created_at / 1_000),
  updated_at: Math.floor(row.updated_at / 1_000),
  emails,
  phone_numbers: phones,
})

interface NewContact {
  first_name: string
  last_name: string
  phone_numbers: { label: string; value: string }[]
}

/** A contact, its phone number, the day's count and the event, in one durable transaction, as the product does it. */
function creating(db: File, companyId: number) {
  const contact = db.prepare<unknown[]>(
    `insert into contact (company_id, first_name, last_name, company_name, information, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?)`,
  )
  const phone = db.prepare<unknown[]>(
    'insert into contact_phone (contact_id, company_id, label, value, digits) values (?, ?, ?, ?, ?)',
  )
  const count = db.prepare<unknown[]>(
    `insert into contact_count as c (company_id, day, n) values (?, ?, 1)
     on conflict (company_id, day) do update set n = c.n + 1`,
  )
  const event = db.prepare<unknown[]>(
    `insert into event (id, company_id, name, resource, resource_key, occurred_at, data)
     values (?, ?, 'contact.created', 'contact', ?, ?, ?)`,
  )
  const position = db.prepare<unknown[]>('update event set position = row_id where row_id = ?')

  return (base: string, wish: NewContact): string => {
    const at = Date.now()
    db.exec('begin immediate')
    const row = { ...wish, company_name: null, information: null, created_at: at, updated_at: at }
    const id = Number(contact.run(companyId, wish.first_name, wish.last_name, null, null, at, at).lastInsertRowid)
    const phones = wish.phone_numbers.map(({ label, value }) => {
      const made = phone.run(id, companyId, label, value, value.replace(/\D/g, ''))
      return { id: Number(made.lastInsertRowid), label, value }
    })
    count.run(companyId, Math.floor(at / 86_400_000))
    const body = JSON.stringify({ contact: view(base, { ...row, id }, phones) })
    const told = event.run(`evt_${process.hrtime.bigint()}`, companyId, `contact:${id}`, at, body)
    position.run(Number(told.lastInsertRowid))
    db.exec('commit')
    return body
  }
}
