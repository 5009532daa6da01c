// Installed integrations and marketplace apps.

export interface Integration {
  id: number
  name: string
  custom_name: string | null
  logo: string
  active: boolean
  number_ids: number[]
  numbers_count: number
  user: { id: number; name: string } | null
  kind: 'oauth' | 'api_key'
  app_id: number | null
  /** Limited to the events of selected numbers. */
  restricted: boolean
  installed_at: string
}

export const nameOf = ({ name, custom_name: own }: Integration) => own || name

export interface Offer {
  id: number
  name: string
  description: string
  logo_url: string | null
  install_uri: string
}
