// The baseline of the product: a minimal hand-written server. No credentials, limit or validation.
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
type Detail = [id: number, label: string, value: string]
type Text = string | null
type Contact = [
  ...[id: number, firstName: Text, lastName: Text, companyName: Text, information: Text],
  ...[createdAt: number, updatedAt: number, phones: Detail[], emails: Detail[]],
]

function listing(db: File, companyId: number) {
  const details = (table: string) => `(
    select json_group_array(json_array(d.id, d.label, d.value) order by d.id)
    from ${table} as d where d.contact_id = c.id and +d.company_id = c.company_id)`
  const page = db.prepare<unknown[]>(
    `select (select sum(n) from contact_count where company_id = ?) as total,
       json_group_array(
         json_array(c.id, c.first_name, c.last_name, c.company_name, c.information, c.created_at, c.updated_at,
           ${details('contact_phone')}, ${details('contact_email')})
         order by c.created_at, c.id) as contacts
     from (select id from contact where company_id = ? order by created_at, id limit ? offset ?) as page
     join contact as c on c.id = page.id`,
  )

  return (base: string, { searchParams }: URL): string => {
    const number = Number(searchParams.get('page') ?? 1)
    const found = page.get(companyId, companyId, 20, (number - 1) * 20) as { total: number; contacts: string }
    const contacts: Contact[] = JSON.parse(found.contacts)
    const link = (to: number) => `${base}/v1/contacts?page=${to}&per_page=20`
    return JSON.stringify({
      meta: {
        count: contacts.length,
        total: found.total,
        current_page: number,
        per_page: 20,
        next_page_link: number * 20 < Math.min(found.total, 10_000) ? link(number + 1) : null,
        previous_page_link: number > 1 ? link(number - 1) : null,
      },
      contacts: contacts.map((contact) => view(base, contact)),
    })
  }
}

const detailView = ([id, label, value]: Detail) => ({ id, label, value })

const view = (base: string, [id, first, last, company, information, created, updated, phones, emails]: Contact) => ({
  id,
  direct_link: `${base}/v1/contacts/${id}`,
  first_name: first,
  last_name: last,
  company_name: company,
  information,
  is_shared: true,
  created_at: Math.floor(created / 1_000),
  updated_at: Math.floor(updated / 1_000),
  emails: emails.map(detailView),
  phone_numbers: phones.map(detailView),
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
    `insert into contact_count as c (company_id, day, n, changed) values (?, ?, 1, 1)
     on conflict (company_id, day) do update set n = c.n + 1, changed = c.changed + 1`,
  )
  const event = db.prepare<unknown[]>(
    `insert into event (id, company_id, name, resource, resource_key, occurred_at, data)
     values (?, ?, 'contact.created', 'contact', ?, ?, ?)`,
  )
  const position = db.prepare<unknown[]>('update event set position = row_id where row_id = ?')

  return (base: string, input: NewContact): string => {
    const at = Date.now()
    db.exec('begin immediate')
    const id = Number(contact.run(companyId, input.first_name, input.last_name, null, null, at, at).lastInsertRowid)
    const phones = input.phone_numbers.map(({ label, value }): Detail => {
      const made = phone.run(id, companyId, label, value, value.replace(/\D/g, ''))
      return [Number(made.lastInsertRowid), label, value]
    })
    count.run(companyId, Math.floor(at / 86_400_000))
    const body = JSON.stringify({
      contact: view(base, [id, input.first_name, input.last_name, null, null, at, at, phones, []]),
    })
    const inserted = event.run(`evt_${process.hrtime.bigint()}`, companyId, `contact:${id}`, at, body)
    position.run(Number(inserted.lastInsertRowid))
    db.exec('commit')
    return body
  }
}
