"""
Reads an entity set of an OData service as any program could, with the standard library only. Standard input has the
URL of the service, a user name, a password and the name of the set. It reads the name of the key from $metadata and
follows the links of the pages, then the delta link after each line of the input. An empty line ends the process.

Each line of the output is JSON: the keys in the order in which they were read, then after each line of the input the
entities of the replica.
"""

import base64
import json
import sys
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ElementTree

EDM = "{http://docs.oasis-open.org/odata/ns/edm}"


def main():
    root, user, password, name = [sys.stdin.readline().rstrip("\n") for _ in range(4)]
    credentials = base64.b64encode(f"{user}:{password}".encode()).decode()

    def get(url, **headers):
        request = urllib.request.Request(url, headers={"Authorization": f"Basic {credentials}", **headers})
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.read()

    metadata = ElementTree.fromstring(get(f"{root}/$metadata"))
    types = [each for each in metadata.iter(f"{EDM}EntityType") if each.get("Name") == name]
    key = types[0].find(f"{EDM}Key/{EDM}PropertyRef").get("Name")

    def walk(url):
        while url:
            page = json.loads(get(url, Prefer="odata.track-changes, odata.maxpagesize=3000"))
            yield page
            url = page.get("@odata.nextLink")

    read, replica, delta = [], {}, None
    for page in walk(f"{root}/{urllib.parse.quote(name)}"):
        for entity in page["value"]:
            read.append(entity[key])
            replica[entity[key]] = entity
        delta = page.get("@odata.deltaLink")
    print(json.dumps(read), flush=True)

    while sys.stdin.readline().strip() != "":
        for page in walk(delta):
            for entity in page["value"]:
                if entity.get("@odata.context", "").endswith("/$deletedEntity"):
                    deleted = urllib.parse.unquote(entity["id"]).split("('", 1)[1].removesuffix("')")
                    replica.pop(deleted, None)
                else:
                    replica[entity[key]] = entity
            delta = page.get("@odata.deltaLink")
        print(json.dumps([replica[each] for each in sorted(replica)]), flush=True)


main()
