/* The dates task: the calendar, every written form, and a reader of its own that knows none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/tasks/task_dates.h"

enum { DRAWS = 20000 };

/* Zeller's congruence (1887), turned so that Monday is 0. */
static int weekday_by_zeller(int year, int month, int day) {
    if (month < 3) {
        month += 12;
        year--;
    }
    int century = year / 100, rest = year % 100;
    int from_saturday =
        (day + 13 * (month + 1) / 5 + rest + rest / 4 + century / 4 + 5 * century) % 7;
    return (from_saturday + 5) % 7;
}

/* The day after, by the rules as a schoolbook has them. */
static void next_day(int *year, int *month, int *day) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = *year % 400 == 0 || (*year % 4 == 0 && *year % 100 != 0);
    int length = *month == 2 && leap ? 29 : lengths[*month - 1];
    if (++*day <= length) return;
    *day = 1;
    if (++*month <= 12) return;
    *month = 1;
    ++*year;
}

static void test_calendar(void **state) {
    (void)state;
    int year = 1900, month = 1, day = 1, leap_days = 0;
    for (uint32_t days = 0; days < DATES_DAYS; days++) {
        Date date = date_after(days);
        assert_int_equal(date.year, year);
        assert_int_equal(date.month, month);
        assert_int_equal(date.day, day);
        assert_int_equal(date.weekday, weekday_by_zeller(year, month, day));
        leap_days += month == 2 && day == 29;
        next_day(&year, &month, &day);
    }
    assert_int_equal(year, 2100); /* the day after the last is 2100-01-01 */
    assert_int_equal(month, 1);
    assert_int_equal(day, 1);
    assert_int_equal(leap_days, 49); /* 1904 to 2096, 2000 among them, 1900 not */
}

static void test_every_form_as_it_is_written(void **state) {
    (void)state;
    static const Date dates[] = {{2021, 3, 1, 0}, {1999, 9, 23, 3}, {2000, 2, 29, 1}};
    static const char *const expected[DATE_FORMS][3] = {
        {"1 March 2021", "23 September 1999", "29 February 2000"},
        {"1 Mar 2021", "23 Sep 1999", "29 Feb 2000"},
        {"March 1, 2021", "September 23, 1999", "February 29, 2000"},
        {"Mar 1, 2021", "Sep 23, 1999", "Feb 29, 2000"},
        {"March 1st, 2021", "September 23rd, 1999", "February 29th, 2000"},
        {"1st of March 2021", "23rd of September 1999", "29th of February 2000"},
        {"Monday, 1 March 2021", "Thursday, 23 September 1999", "Tuesday, 29 February 2000"},
        {"Monday, March 1, 2021", "Thursday, September 23, 1999", "Tuesday, February 29, 2000"},
        {"Mon 1 Mar 2021", "Thu 23 Sep 1999", "Tue 29 Feb 2000"},
        {"01-Mar-2021", "23-Sep-1999", "29-Feb-2000"},
        {"2021 March 1", "1999 September 23", "2000 February 29"},
        {"1. März 2021", "23. September 1999", "29. Februar 2000"},
        {"Montag, 1. März 2021", "Donnerstag, 23. September 1999", "Dienstag, 29. Februar 2000"},
        {"Mo., 1. März 2021", "Do., 23. September 1999", "Di., 29. Februar 2000"},
        {"01.03.2021", "23.09.1999", "29.02.2000"},
        {"1.3.2021", "23.9.1999", "29.2.2000"},
        {"2021/03/01", "1999/09/23", "2000/02/29"},
        {"20210301", "19990923", "20000229"},
        {"2021-03-01", "1999-09-23", "2000-02-29"},
    };
    for (int form = 0; form < DATE_FORMS; form++) {
        for (int i = 0; i < 3; i++) {
            char text[TASK_TEXT_SIZE];
            date_write(&date_forms[form], dates[i], text);
            assert_string_equal(text, expected[form][i]);
        }
    }
}

static void test_ordinals(void **state) {
    (void)state;
    static const DateForm ordinal = {DATE_ENGLISH, "%o"};
    static const char *const expected[31] = {
        "1st",  "2nd",  "3rd",  "4th",  "5th",  "6th",  "7th",  "8th",  "9th",  "10th", "11th",
        "12th", "13th", "14th", "15th", "16th", "17th", "18th", "19th", "20th", "21st", "22nd",
        "23rd", "24th", "25th", "26th", "27th", "28th", "29th", "30th", "31st"};
    for (int day = 1; day <= 31; day++) {
        char text[TASK_TEXT_SIZE];
        date_write(&ordinal, (Date){2021, 1, day, 0}, text);
        assert_string_equal(text, expected[day - 1]);
    }
}

/* The index of the name that begins like `word` in its first `letters` bytes, or -1. */
static int name_index(const char *word, const char *const *names, int count, size_t letters) {
    for (int i = 0; i < count; i++)
        if (strncmp(word, names[i], letters) == 0) return i;
    return -1;
}

typedef struct Reading {
    int numbers[3], digits[3], count; /* in the order of the text */
    int month, weekday;               /* by name; 0 and -1 if there is none */
    char mark;                        /* right after the first number */
} Reading;

static void read_word(const char *word, Reading *reading) {
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr",      "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct",      "Nov", "Dec",
                                         "Mai", "Okt", "Dez", "M\xC3\xA4"};
    static const char *const weekdays[] = {"Mo", "Tu", "We", "Th", "Fr", "Sa", "Su",
                                           "Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"};
    static const int also[] = {5, 10, 12, 3}; /* Mai, Okt, Dez, Mär */
    int month = name_index(word, months, 16, 3);
    if (month >= 0)
        reading->month = month < 12 ? month + 1 : also[month - 12];
    else if (isupper((unsigned char)*word))
        reading->weekday = name_index(word, weekdays, 14, 2) % 7;
}

/* Splits a text into numbers and words (bytes beyond ASCII are of a word). */
static Reading read_parts(const char *text) {
    Reading reading = {.weekday = -1};
    while (*text) {
        size_t length = strspn(text, "0123456789");
        if (length > 0) {
            assert_true(reading.count < 3);
            reading.digits[reading.count] = (int)length;
            reading.numbers[reading.count++] = atoi(text);
            if (reading.count == 1) reading.mark = text[length];
        } else if (isalpha((unsigned char)*text)) {
            while (isalpha((unsigned char)text[length]) || (unsigned char)text[length] >= 0x80)
                length++;
            read_word(text, &reading);
        } else {
            length = 1;
        }
        text += length;
    }
    return reading;
}

/* Reads a date by common sense: the number of four digits is the year; a name is the month; with
 * none, dots put the day first, all else the year. */
static void read_date(const char *text, int *year, int *month, int *day, int *weekday) {
    Reading reading = read_parts(text);
    const int *number = reading.numbers;
    *weekday = reading.weekday;
    if (reading.month > 0) {
        assert_int_equal(reading.count, 2);
        int first_is_year = reading.digits[0] == 4;
        *year = number[!first_is_year];
        *month = reading.month;
        *day = number[first_is_year];
    } else if (reading.count == 1) {
        assert_int_equal(reading.digits[0], 8);
        *year = number[0] / 10000;
        *month = number[0] / 100 % 100;
        *day = number[0] % 100;
    } else {
        assert_int_equal(reading.count, 3);
        bool day_first = reading.mark == '.';
        *year = number[day_first ? 2 : 0];
        *month = number[1];
        *day = number[day_first ? 0 : 2];
    }
}

static void test_sources_read_back(void **state) {
    (void)state;
    const Task *task = task_find("dates");
    int weekdays = 0, leap_days = 0;
    Rng rng = rng_make(7, 0);
    for (int i = 0; i < DRAWS; i++) {
        TaskExample example;
        task->make(&rng, &example);
        int year, month, day, weekday;
        read_date(example.source, &year, &month, &day, &weekday);
        char iso[64];
        snprintf(iso, sizeof iso, "%04d-%02d-%02d", year, month, day);
        if (strcmp(example.target, iso) != 0)
            fail_msg("%s is %s, not %s", example.source, iso, example.target);
        assert_in_range(year, 1900, 2099);
        if (weekday >= 0) {
            weekdays++;
            if (weekday != weekday_by_zeller(year, month, day)) fail_msg("%s", example.source);
        }
        leap_days += month == 2 && day == 29;
    }
    /* 5 forms of 19 have a weekday: 5263, deviation 62. 49 days of 73049 are leap days: 13. */
    assert_in_range(weekdays, 5263 - 310, 5263 + 310);
    assert_in_range(leap_days, 1, 40);
}

/* Each draw is one of the forms, each form is drawn about equally often, and so is each decade. */
static void test_forms_and_years_come_alike(void **state) {
    (void)state;
    const Task *task = task_find("dates");
    int forms[DATE_FORMS] = {0}, decades[20] = {0};
    Rng rng = rng_make(8, 0);
    for (int i = 0; i < DRAWS; i++) {
        TaskExample example;
        task->make(&rng, &example);
        int year = atoi(example.target), month = atoi(example.target + 5);
        int day = atoi(example.target + 8), matches = 0;
        Date date = {year, month, day, weekday_by_zeller(year, month, day)};
        for (int form = 0; form < DATE_FORMS; form++) {
            char text[TASK_TEXT_SIZE];
            date_write(&date_forms[form], date, text);
            if (strcmp(text, example.source) != 0) continue;
            forms[form]++;
            matches++;
        }
        if (matches < 1) fail_msg("%s is of no form", example.source);
        decades[(year - 1900) / 10]++;
    }
    /* 1053 of each form, deviation 32, and more where forms agree (3 May 2021); 1000 of each
     * decade, deviation 31. */
    for (int form = 0; form < DATE_FORMS; form++)
        assert_in_range(forms[form], 1053 - 160, 1053 + 300);
    for (int decade = 0; decade < 20; decade++)
        assert_in_range(decades[decade], 1000 - 155, 1000 + 155);
}

static void test_help_counts_the_forms(void **state) {
    (void)state;
    char count[32];
    snprintf(count, sizeof count, " %d forms", DATE_FORMS);
    assert_non_null(strstr(task_find("dates")->help, count));
    assert_true(DATE_FORMS >= 14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calendar),
        cmocka_unit_test(test_every_form_as_it_is_written),
        cmocka_unit_test(test_ordinals),
        cmocka_unit_test(test_sources_read_back),
        cmocka_unit_test(test_forms_and_years_come_alike),
        cmocka_unit_test(test_help_counts_the_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
