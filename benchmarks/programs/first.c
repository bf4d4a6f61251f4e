/* The first legal action, always: `first VERSION [FIELD ...]`, the protocol's version and wanted fields.

   It reads no JSON: it looks for the id, and for the number behind each "legal":[ of a message. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char LEGAL[] = "\"legal\":[";

int main(int count, char **words)
{
    int version = count > 1 ? atoi(words[1]) : 1;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (strncmp(line, "{\"type\":\"hello\"", 15) == 0) {
            printf("{\"type\":\"hello\",\"protocol\":%d", version);
            for (int k = 2; k < count; k++)
                printf("%s\"%s\"", k == 2 ? ",\"fields\":[" : ",", words[k]);
            puts(count > 2 ? "]}" : "}");
        } else if (strncmp(line, "{\"type\":\"observe\"", 17) == 0) {
            long id = atol(strstr(line, "\"id\":") + 5);
            printf("{\"type\":\"action\",\"id\":%ld,\"action%s\":%s", id, version == 1 ? "" : "s", version == 1 ? "" : "[");
            const char *comma = "";
            for (char *at = line; (at = strstr(at, LEGAL)) != NULL; comma = ",") {
                at += sizeof LEGAL - 1;
                printf("%s%ld", comma, atol(at));
            }
            puts(version == 1 ? "}" : "]}");
        }
        fflush(stdout);
    }
    return 0;
}
