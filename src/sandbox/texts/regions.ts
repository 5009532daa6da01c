// Countries of the customers: names, companies and phone numbers. All phone numbers are from ranges reserved for fiction.

export interface Region {
  /** Share of the customers. */
  weight: number
  firstNames: string
  lastNames: string
  companies: string[]
  /** `#` is replaced by a digit. */
  phones: string[]
  mobiles: string[]
}

export const regions: Region[] = [
  {
    weight: 8,
    firstNames: 'Camille Julien Manon Théo Léa Antoine Chloé Mathieu Inès Baptiste Sophie Rémi Élodie Nicolas',
    lastNames:
      'Aubert Garnier Lambert Moreau Perrin Vidal Fontaine Chevalier Renard Delacroix Roussel Marchetti Baudry',
    companies: [
      'Café des Arts',
      'Hôtel Belle Rive',
      'Boulangerie Martin',
      'Atelier Canopée',
      'Librairie du Port',
      'Le Petit Zinc',
      'Studio Lumière',
      'Brasserie Nord-Sud',
    ],
    phones: ['+33199001###', '+33199002###', '+33199004###', '+33199007###'],
    mobiles: ['+3363998####'],
  },
  {
    weight: 5,
    firstNames: 'Oliver Amelia Harry Isla George Freya Jack Poppy Callum Imogen Rhys Eleanor Priya Samir',
    lastNames: 'Whitfield Barlow Hargreaves Okoye Pemberton Sutton Ashworth Kaur Doyle Fairbanks Lockwood Thornton',
    companies: [
      'The Copper Kettle',
      'Fenwick & Moss Architects',
      'Harbour Lane Hotel',
      'Brightwater Dental',
      'Larkfield School',
      'Old Mill Bakery',
    ],
    phones: ['+4420794601##', '+4420794606##', '+441632960###'],
    mobiles: ['+447700900###'],
  },
  {
    weight: 4,
    firstNames: 'Madison Tyler Jasmine Carlos Ava Marcus Hannah Diego Brooke Andre Naomi Cody',
    lastNames: 'Bennett Ramirez Sullivan Brooks Delgado Hayes Kim Whitaker Navarro Price Coleman Foster',
    companies: [
      'Redwood Coworking',
      'Sunset Diner',
      'Bluebird Coffee Bar',
      'Lakeside Law Group',
      'Maple Street Books',
      'Pioneer Hardware',
    ],
    phones: ['+121255501##', '+131255501##', '+161755501##', '+120655501##'],
    mobiles: ['+130355501##'],
  },
  {
    weight: 2,
    firstNames: 'Liam Charlotte Noah Maëlle Ethan Olivia Gabriel Zoé',
    lastNames: 'Tremblay MacLeod Gagnon Singh Lavoie Fraser Bouchard Chen',
    companies: ['Café Boréal', 'Queen West Fitness', 'Northern Trails Outfitters'],
    phones: ['+151455501##', '+160455501##'],
    mobiles: ['+164755501##'],
  },
  {
    weight: 5,
    firstNames: 'Lukas Johanna Felix Annika Moritz Katharina Jonas Miriam Stefan Lena Tobias Franziska',
    lastNames: 'Bauer Vogel Hoffmann Krüger Zeller Brandt Lorenz Seidel Haas Winkler Albrecht Busch',
    companies: [
      'Rösterei Kreuzberg',
      'Hotel Alte Post',
      'Kanzlei Vogel & Partner',
      'Druckerei Lorenz',
      'Gasthof Lindenhof',
      'Isarblick Studios',
    ],
    phones: ['+493023125###', '+498999998###', '+494066969###', '+496990009###'],
    mobiles: ['+4917139200##'],
  },
  {
    weight: 2,
    firstNames: 'Elsa Axel Ingrid Viktor Maja Henrik Linnea Oskar',
    lastNames: 'Nilsson Bergström Lindgren Sandberg Ekström Holm Wallin Åkesson',
    companies: ['Fika & Vänner', 'Skärgården Hotell', 'Norrsken Design'],
    phones: ['+468465004##', '+463139006##'],
    mobiles: ['+467017406##'],
  },
  {
    weight: 2,
    firstNames: 'Matilda Lachlan Ruby Cooper Georgia Hamish Willow Angus',
    lastNames: 'Fitzgerald Mackenzie Burke Nguyen Harrington Quinn Doherty Walsh',
    companies: ['Harbourside Roasters', 'Wattle Lane Clinic', 'Claddagh House'],
    phones: ['+61255501###', '+61355502###', '+353209101###'],
    mobiles: ['+61491570###'],
  },
]

/** Notes on a customer. */
export const customerNotes = [
  'Prefers to be called before noon.',
  'Lease until the end of next year, two machines.',
  'Deliveries through the yard, ring at the back door.',
  'Orders on the first Monday of the month.',
  'Invoices go to accounting, not to the site.',
  'Speaks French and English.',
  'Open from Tuesday to Sunday.',
  'Met at the trade fair, interested in the subscription.',
  'Service contract with weekend cover.',
]

export const machines = ['Aria 2', 'Corvo Pro', 'Tavola', 'Lumo Office', 'Aria 3', 'Corvo Duo']
